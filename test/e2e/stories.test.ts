import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Served, serve } from '../support/serve.ts';
import {
  connectV0_3,
  connectV1_0,
  type StoryClient,
  type StoryEvent,
  textOf,
} from '../support/story-clients.ts';

let served: Served;
beforeAll(async () => {
  served = await serve({ a2a: { v03: 'full' } });
});
afterAll(() => served.close());

async function collect(events: AsyncIterable<StoryEvent>): Promise<StoryEvent[]> {
  const all: StoryEvent[] = [];
  for await (const event of events) all.push(event);
  return all;
}

const say = (text: string): { parts: [{ text: string }] } => ({ parts: [{ text }] });

describe.each([
  { version: '1.0', connect: connectV1_0 },
  { version: '0.3', connect: connectV0_3 },
])('the official $version client', ({ connect }) => {
  const to = (graphId: string): Promise<StoryClient> => connect(served.endpoint(graphId));

  it('sends a message and reads the answer', async () => {
    const task = await (await to('echo')).send(say('hello'));
    expect(task.state).toBe('completed');
    expect(task.artifacts).toEqual([{ name: 'Assistant Response', parts: [{ text: 'you said: hello' }] }]);
    expect(task.history.map(({ role, text }) => [role, text])).toEqual([
      ['user', 'hello'],
      ['agent', 'you said: hello'],
    ]);
  });

  it('U12: streams tokens as they are made', async () => {
    const { gates } = served.fixture;
    gates.hold('words:two', 'words:three');
    const events = (await to('words')).stream(say('go'));
    const seen: StoryEvent[] = [];
    const until = async (text: string): Promise<void> => {
      for (;;) {
        const { value, done } = await events.next();
        if (done) return;
        seen.push(value);
        if (value.kind === 'artifact' && value.text.includes(text)) return;
      }
    };
    await until('one');
    expect(seen.map(({ kind }) => kind)).toEqual(['task', 'status', 'artifact']);
    gates.open('words:two');
    await until('two');
    gates.open('words:three');
    seen.push(...(await collect(events)));
    const texts = seen.flatMap((event) => (event.kind === 'artifact' ? [event.text] : []));
    expect(texts.join('')).toBe('one two three');
    expect(new Set(seen.flatMap((event) => (event.kind === 'artifact' ? [event.artifactId] : []))).size).toBe(
      1,
    );
    expect(seen.at(-1)).toEqual({ kind: 'status', state: 'completed' });
    const last = seen.findLast((event) => event.kind === 'artifact');
    expect(last).toMatchObject({ lastChunk: true });
  });

  it('U12: puts the first node on the wire before the second is done', async () => {
    const { gates } = served.fixture;
    gates.hold('steps:second');
    const events = (await to('steps')).stream(say('go'));
    const texts: string[] = [];
    const read = (async () => {
      for await (const event of events) if (event.kind === 'artifact') texts.push(event.text);
    })();
    await gates.reached('steps:second');
    try {
      await expect.poll(() => texts).toEqual(['from the first node']);
    } finally {
      gates.open('steps:second');
    }
    await read;
    expect(texts).toEqual(['from the first node', 'from the second node']);
  });

  it('U23: keeps a conversation over three turns in one context', async () => {
    const client = await to('memory');
    const first = await client.send(say('a'));
    const second = await client.send({ ...say('b'), contextId: first.contextId });
    const third = await client.send({ ...say('c'), contextId: first.contextId });
    expect(new Set([first.id, second.id, third.id]).size).toBe(3);
    expect(textOf(third.artifacts[0]?.parts ?? [])).toBe('3: a | b | c');
    expect(third.history.map(({ text }) => text)).toEqual([
      'a',
      '1: a',
      'b',
      '2: a | b',
      'c',
      '3: a | b | c',
    ]);
    expect(third.history.map(({ taskId }) => taskId)).toEqual([
      first.id,
      first.id,
      second.id,
      second.id,
      third.id,
      third.id,
    ]);
  });

  it('chooses between context and task history', async () => {
    const client = await to('memory');
    const first = await client.send(say('a'));
    const second = await client.send({ ...say('b'), contextId: first.contextId, historyScope: 'task' });
    expect(second.history.map(({ text }) => text)).toEqual(['b', '2: a | b']);
    expect((await client.get(second.id)).history).toHaveLength(4);
    expect((await client.get(second.id, { historyScope: 'task' })).history).toHaveLength(2);
    expect((await client.get(second.id, { historyLength: 1 })).history.map(({ text }) => text)).toEqual([
      '2: a | b',
    ]);
    expect((await client.get(second.id, { historyLength: 0 })).history).toEqual([]);
  });

  it('asks and takes an answer as data', async () => {
    const client = await to('approval');
    const asked = await client.send(say('pay'));
    expect(asked.state).toBe('input-required');
    expect(asked.question).toBe('Approve 42 EUR?');
    const interrupt = asked.artifacts.find(({ name }) => name === 'Interrupt');
    expect(interrupt?.parts).toMatchObject([{ data: { id: expect.any(String), value: { amount: 42 } } }]);
    const answered = await client.send({
      parts: [{ data: { resume: { approved: true } } }],
      taskId: asked.id,
      contextId: asked.contextId,
    });
    expect(answered.id).toBe(asked.id);
    expect(answered.state).toBe('completed');
    expect(textOf(answered.artifacts[0]?.parts ?? [])).toBe('paid');
  });

  it('takes an answer as plain text', async () => {
    const client = await to('approval');
    const asked = await client.send(say('plain'));
    expect(asked.question).toBe('What is your name?');
    const answered = await client.send({ ...say('Ada'), taskId: asked.id });
    expect(textOf(answered.artifacts[0]?.parts ?? [])).toBe('hello Ada');
  });

  it('cancels a running task', async () => {
    const { gates } = served.fixture;
    gates.hold('slow');
    const client = await to('slow');
    const started = await client.send({ ...say('wait'), immediate: true });
    await gates.reached('slow');
    expect((await client.cancel(started.id)).state).toBe('canceled');
    expect((await client.get(started.id)).state).toBe('canceled');
    gates.open('slow');
  });

  it('U20: returns at once when asked to, and is polled to the end', async () => {
    const { gates } = served.fixture;
    gates.hold('slow');
    const client = await to('slow');
    const answer = client.send({ ...say('wait'), immediate: true });
    await gates.reached('slow');
    const started = await Promise.race([answer, sleep(2_000)]);
    if (!started) throw new Error('a message that does not wait has no answer while its agent works');
    expect(['submitted', 'working']).toContain(started.state);
    const events = client.subscribe(started.id);
    expect(await events.next()).toMatchObject({ value: { kind: 'task', task: { id: started.id } } });
    gates.open('slow');
    expect((await collect(events)).at(-1)).toEqual({ kind: 'status', state: 'completed' });
    expect((await client.get(started.id)).state).toBe('completed');
  });

  it('U25, U26: passes files both ways', async () => {
    const bytes = Buffer.from('receipt ÿ').toString('base64');
    const task = await (await to('files')).send({
      parts: [
        { text: 'read this' },
        { bytes, name: 'r.txt', mimeType: 'text/plain' },
        { uri: 'https://example.com/p.png', name: 'p.png', mimeType: 'image/png' },
      ],
    });
    const [answer] = task.artifacts;
    const received = textOf(answer?.parts ?? [])
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(received).toEqual([
      { type: 'text', text: 'read this' },
      { type: 'file', mimeType: 'text/plain', data: bytes, metadata: { filename: 'r.txt' } },
      {
        type: 'image',
        mimeType: 'image/png',
        url: 'https://example.com/p.png',
        metadata: { filename: 'p.png' },
      },
    ]);
    expect(answer?.parts.slice(1)).toEqual([
      { bytes: Buffer.from('a,b\n1,2\n').toString('base64'), name: 'report.csv', mimeType: 'text/csv' },
      { uri: 'https://example.com/chart.png', name: '', mimeType: 'image/png' },
    ]);
  });

  it('shows a second client the rest of a running task', async () => {
    const { gates } = served.fixture;
    gates.hold('words:two', 'words:three');
    const mine = (await to('words')).stream(say('go'));
    const begun = await mine.next();
    const taskId = begun.value?.kind === 'task' ? begun.value.task.id : '';
    for await (const event of mine) if (event.kind === 'artifact') break;
    const theirs = (await to('words')).subscribe(taskId);
    const snapshot = await theirs.next();
    expect(snapshot.value).toMatchObject({ kind: 'task', task: { id: taskId, state: 'working' } });
    const before =
      snapshot.value?.kind === 'task' ? textOf(snapshot.value.task.artifacts[0]?.parts ?? []) : '';
    gates.open('words:two', 'words:three');
    const rest = await collect(theirs);
    const after = rest.flatMap((event) => (event.kind === 'artifact' ? [event.text] : [])).join('');
    expect(before + after).toBe('one two three');
    expect(rest.at(-1)).toEqual({ kind: 'status', state: 'completed' });
  });
});

describe('the official 1.0 client', () => {
  it('U36: lists its tasks page by page, which v0.3 cannot', async () => {
    const client = await connectV1_0(served.endpoint('memory'));
    const first = await client.send(say('1'));
    const ids = [first.id];
    for (const text of ['2', '3', '4', '5'])
      ids.push((await client.send({ ...say(text), contextId: first.contextId })).id);
    const listed: string[] = [];
    let pageToken = '';
    do {
      const page = await client.list?.({ contextId: first.contextId, pageSize: 2, pageToken });
      listed.push(...(page?.ids ?? []));
      expect(page?.total).toBe(5);
      pageToken = page?.next ?? '';
    } while (pageToken !== '');
    expect(listed).toEqual(ids.reverse());
  });
});
