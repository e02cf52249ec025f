import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { type Killable, useKillables } from '../support/killable.ts';
import { connectV1_0, type StoryClient, type StoryTask, textOf } from '../support/story-clients.ts';

/** A process that is killed at a known place, and what the next one makes of it. */
const { folder, start, stop } = useKillables();

const say = (text: string) => ({ parts: [{ text }], immediate: true });
/** Kills the process where it says `place`, and starts another one that does not wait there. */
async function crashAt(life: Killable, place: string): Promise<Killable> {
  await life.said(place);
  await stop('SIGKILL');
  await writeFile(join(folder(), 'gate'), '');
  return start();
}
async function rests(client: StoryClient, taskId: string): Promise<StoryTask> {
  for (;;) {
    const task = await client.get(taskId);
    if (!['submitted', 'working'].includes(task.state)) return task;
  }
}
const textsOf = (task: StoryTask): string[] =>
  task.artifacts
    .filter(({ name }) => name !== 'Interrupt')
    .map(({ parts }) => textOf(parts))
    .sort();
const begin = async (graphId: string) => {
  const life = await start();
  const client = await connectV1_0(life.endpoint(graphId));
  const { id } = await client.send(say('go'));
  return { life, client, id };
};

it('between two interrupts of a node: the second question is asked once, and both answers count', async () => {
  const { life, client, id } = await begin('questions');
  await rests(client, id);
  await client.send({ ...say('a'), taskId: id });
  const again = await connectV1_0((await crashAt(life, 'answered')).endpoint('questions'));
  const asked = await rests(again, id);
  expect(asked.state).toBe('input-required');
  expect(asked.question).toBe('second?');
  const done = await again.send({ parts: [{ text: 'b' }], taskId: id });
  expect(done.state).toBe('completed');
  expect(textsOf(done)).toEqual(['a then b']);
  expect(done.history.map(({ text }) => text)).toEqual(['go', 'a', 'b', 'a then b']);
});

it('after a partial answer: what was answered is not asked again', async () => {
  const { life, client, id } = await begin('sideBySide');
  const paused = await rests(client, id);
  const questions = paused.artifacts.flatMap(
    ({ parts }) => parts as { data?: { id: string; value: string } }[],
  );
  const answer = (value: string, text: string) => {
    const question = questions.find(({ data }) => data?.value === value)?.data?.id ?? '';
    return { parts: [{ data: { resume: { [question]: text } } }], taskId: id };
  };
  await client.send({ ...answer('left?', 'l'), immediate: true });
  const again = await connectV1_0((await crashAt(life, 'left')).endpoint('sideBySide'));
  const asked = await rests(again, id);
  expect(asked.question).toBe('right?');
  await expect(again.send(answer('left?', 'other'))).rejects.toThrow();
  const done = await again.send(answer('right?', 'r'));
  expect(done.state).toBe('completed');
  expect(textsOf(done)).toEqual(['left: l', 'right: r']);
});

it.each([
  ['in a parallel branch', 'branches', 'quick', ['quick', 'slow']],
  ['in a subgraph', 'nested', 'one', ['one', 'outer', 'slow']],
])('%s: what was done is not done again', async (_, graphId, first, texts) => {
  const { life, id } = await begin(graphId);
  const next = await crashAt(life, 'waiting');
  expect(life.heard).toContain(first);
  const done = await rests(await connectV1_0(next.endpoint(graphId)), id);
  expect(done.state).toBe('completed');
  expect(textsOf(done)).toEqual(texts);
  expect(next.heard).not.toContain(first);
});

it('in the second try of a node: its text is there once, in one artifact', async () => {
  const life = await start();
  const client = await connectV1_0(life.endpoint('retried'));
  const seen = client.stream(say('go'))[Symbol.asyncIterator]();
  const first = (await seen.next()).value;
  const id = first?.kind === 'task' ? first.task.id : '';
  const next = await crashAt(life, 'second try');
  const done = await rests(await connectV1_0(next.endpoint('retried')), id);
  expect(done.state).toBe('completed');
  expect(textsOf(done)).toEqual(['word for word']);
  expect(done.history.map(({ text }) => text)).toEqual(['go', 'word for word']);
});
