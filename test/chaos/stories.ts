import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { TaskState } from '@parley/protocol';
import type { Fields } from '../wire/rpc.ts';
import type { PatientClient, Seen } from './patient-client.ts';

/** What a conversation was told of a task, and what has to be true of it. */
export interface Told {
  graphId: string;
  taskId: string;
  state: TaskState;
  /** Texts of its artifacts, in any order. */
  texts: string[];
  /** How often it has asked its caller. */
  pauses: number;
  /** Messages that its caller has sent it. */
  messages: number;
  /** What readers have seen while it went on. */
  seen: Seen[][];
}

/** A conversation; `undefined` when the server gave up its run, which took the process down three times. */
export type Story = (client: PatientClient, random: () => number) => Promise<(Told | undefined)[]>;

const COMPLETED: TaskState = 'TASK_STATE_COMPLETED';
const AT_ONCE = { returnImmediately: true };
const text = (said: string): Fields[] => [{ text: said }];
const told = (graphId: string, task: Fields, more: Partial<Told>): Told => ({
  graphId,
  taskId: task.id,
  state: COMPLETED,
  texts: [],
  pauses: 0,
  messages: 1,
  seen: [],
  ...more,
});

/** A run that was running at three kills is given up (docs/engine.md, "Recovery"). */
function isGivenUp({ status }: Fields): boolean {
  return status.state === 'TASK_STATE_FAILED' && status.message?.parts[0].text.includes('several times');
}

const words = (random: () => number): string =>
  Array.from({ length: 5 + Math.floor(random() * 20) }, (_, n) => `w${n}`).join(' ');

/** One message, whose task ends with these artifacts. */
const ends =
  (graphId: string, texts: (said: string) => string[]): Story =>
  async (client, random) => {
    const said = words(random);
    const task = await client.send(graphId, text(said));
    return [isGivenUp(task) ? undefined : told(graphId, task, { texts: texts(said) })];
  };

const streamed =
  (graphId: string, texts: (said: string) => string[]): Story =>
  async (client, random) => {
    const said = words(random);
    const seen = await client.stream(graphId, text(said));
    const id = seen[0]?.result.task.id;
    const task = await client.call(graphId, 'GetTask', { id });
    return [isGivenUp(task) ? undefined : told(graphId, task, { texts: texts(said), seen: [seen] })];
  };

/** Two questions of one node, answered one after the other, while somebody watches. */
const questions: Story = async (client) => {
  const graphId = 'questions';
  const asked = await client.send(graphId, text('go'));
  const watching = client.watch(graphId, asked.id, 0);
  let task = asked;
  for (const answer of ['a', 'b']) {
    if (isGivenUp(task)) return [undefined];
    task = await client.send(graphId, text(answer), { taskId: asked.id });
  }
  const seen = await untilEnd(client, graphId, asked.id, await watching);
  if (isGivenUp(task)) return [undefined];
  const texts = ['answered a then b', 'a then b', ''];
  return [told(graphId, task, { texts, pauses: 2, messages: 3, seen: [seen] })];
};

/** Two questions at once, answered apart. */
const sideBySide: Story = async (client, random) => {
  const graphId = 'sideBySide';
  let task = await client.send(graphId, text('go'));
  if (isGivenUp(task)) return [undefined];
  const asked = task.artifacts.find(({ name }: Fields) => name === 'Interrupt').parts as Fields[];
  if (random() < 0.5) asked.reverse();
  for (const { data } of asked) {
    if (isGivenUp(task)) return [undefined];
    const answer = { data: { resume: { [data.id]: `yes ${data.value}` } } };
    task = await client.send(graphId, [answer], { taskId: task.id });
  }
  if (isGivenUp(task)) return [undefined];
  const texts = ['left: yes left?', 'right: yes right?', ''];
  return [told(graphId, task, { texts, pauses: 2, messages: 3 })];
};

const files: Story = async (client, random) => {
  const raw = Buffer.from(words(random)).toString('base64');
  const part = { raw, filename: 'notes.txt', mediaType: 'text/plain' };
  const task = await client.send('files', [part]);
  if (isGivenUp(task)) return [undefined];
  const copy = JSON.stringify(task.artifacts[0].parts[0]);
  return [told('files', task, { texts: [copy === JSON.stringify(part) ? '' : `not ${raw}: ${copy}`] })];
};

/** Canceled while it runs, twice. */
const canceled: Story = async (client, random) => {
  const graphId = 'endless';
  const task = await client.send(graphId, text('wait'), {}, AT_ONCE);
  const watching = client.watch(graphId, task.id, 0);
  await sleep(random() * 100);
  const cancel = () => client.call(graphId, 'CancelTask', { id: task.id });
  try {
    await Promise.all([cancel(), cancel()]);
  } catch (error) {
    const now = await client.call(graphId, 'GetTask', { id: task.id });
    if (!isGivenUp(now)) throw error;
    return [undefined];
  }
  return [told(graphId, task, { state: 'TASK_STATE_CANCELED', seen: [await watching] })];
};

/** Several messages of one context that wait for one another; each run finds what was said before it. */
const queued: Story = async (client) => {
  const graphId = 'memory';
  const contextId = randomUUID();
  const sent: Fields[] = [];
  for (let n = 0; n < 4; n++) {
    sent.push(await client.send(graphId, text(`m${n}`), { contextId }, AT_ONCE));
  }
  const ended: (Told | undefined)[] = [];
  for (const [n, task] of sent.entries()) {
    const seen = await client.watch(graphId, task.id, 0);
    const now = await client.call(graphId, 'GetTask', { id: task.id });
    const heard = Array.from({ length: n + 1 }, (_, before) => `m${before}`).join(' | ');
    ended.push(isGivenUp(now) ? undefined : told(graphId, task, { texts: [heard], seen: [seen] }));
  }
  // What a run that was given up has heard is for it to say.
  return ended.includes(undefined) ? ended.map(() => undefined) : ended;
};

const alarm: Story = async (client) => {
  const task = await client.send('alarm', text('ring'));
  if (isGivenUp(task)) return [undefined];
  const seen = await untilEnd(client, 'alarm', task.id, await client.watch('alarm', task.id, 0));
  const now = await client.call('alarm', 'GetTask', { id: task.id });
  return [
    isGivenUp(now) ? undefined : told('alarm', task, { texts: ['woken with ring'], pauses: 1, seen: [seen] }),
  ];
};

/** A watch ends at a question; this goes on to the end. */
async function untilEnd(client: PatientClient, graphId: string, id: string, seen: Seen[]): Promise<Seen[]> {
  let all = seen;
  while (all.at(-1)?.result.statusUpdate?.status.state === 'TASK_STATE_INPUT_REQUIRED') {
    all = [...all, ...(await client.watch(graphId, id, all.at(-1)?.id ?? 0))];
  }
  return all;
}

export const STORIES: { [name: string]: Story } = {
  tokens: streamed('tokens', (said) => [`you said: ${said}`]),
  'tokens, blocking': ends('tokens', (said) => [`you said: ${said}`]),
  retried: streamed('retried', (said) => [`you said: ${said}`]),
  branches: streamed('branches', () => ['joined', 'quick', 'slow']),
  nested: ends('nested', () => ['outer', 'inner one', 'inner two']),
  questions,
  sideBySide,
  files,
  canceled,
  queued,
  alarm,
};
