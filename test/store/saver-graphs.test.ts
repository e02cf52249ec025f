import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Command, MemorySaver } from '@langchain/langgraph';
import { type BaseCheckpointSaver, JsonPlusSerializer } from '@langchain/langgraph-checkpoint';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Unavailable } from '../../packages/server/src/engine/unavailable.ts';
import { GRAPHS, type GraphCase, type TestGraph, type Turn } from './graphs.ts';
import { ThreadRouter } from './thread-router.ts';

const config = { configurable: { thread_id: 'thread' } };
const serde = new JsonPlusSerializer();

/** Ids and times are made by chance: two runs agree if they agree up to their names. */
async function normalised(value: unknown): Promise<string> {
  const [, bytes] = await serde.dumpsTyped(value);
  const names = new Map<string, string>();
  return new TextDecoder()
    .decode(bytes)
    .replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'TIME')
    .replace(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}|"[0-9a-f]{32}"/g, (id) => {
      const name = names.get(id) ?? `#${names.size}`;
      names.set(id, name);
      return name;
    });
}

/** One turn as the executor takes it: answers what is open, else starts. */
async function take(graph: TestGraph, { input }: GraphCase, turn: Turn): Promise<string> {
  const state = await graph.getState(config);
  const open = state.tasks.flatMap((task) => task.interrupts.map((one) => one.id as string));
  const next = open.length > 0 ? new Command({ resume: { [open[0] as string]: turn.text } }) : input(turn);
  try {
    return await normalised(await graph.invoke(next, config));
  } catch (error) {
    return String(error);
  }
}

async function stateOf(graph: TestGraph): Promise<string> {
  const { values, next, tasks } = await graph.getState(config);
  return normalised({ values, next, tasks });
}

async function historyOf(saver: BaseCheckpointSaver): Promise<string[]> {
  const tuples: string[] = [];
  for await (const { checkpoint, metadata, pendingWrites } of saver.list(config)) {
    const { channel_values, channel_versions } = checkpoint;
    // Channels nobody has written have their default and no version; as in the official PostgreSQL saver, that is
    // not stored.
    const values = Object.entries(channel_values).filter(([channel]) => channel in channel_versions);
    tuples.push(await normalised({ values, channel_versions, metadata, pendingWrites }));
  }
  return tuples.sort();
}

const turns = fc.array(fc.record({ text: fc.constantFrom('hello ', 'Grüße 👋 ', 'ok'), n: fc.nat(20) }), {
  minLength: 1,
  maxLength: 12,
});

describe.each(Object.entries(GRAPHS))('%s', (_name, graphCase) => {
  let folder: string;
  let databases = 0;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'parley-graphs-'));
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  it('equals MemorySaver after every turn', async () => {
    await fc.assert(
      fc.asyncProperty(turns, fc.boolean(), fc.boolean(), async (script, newRuns, reopens) => {
        const memory = new MemorySaver();
        const expected = graphCase.build(memory) as TestGraph;
        const file = join(folder, `${databases++}.db`);
        let saver = new ThreadRouter(reopens ? { file } : {});
        try {
          let graph = graphCase.build(saver) as TestGraph;
          for (const [i, turn] of script.entries()) {
            if (newRuns) saver.newRun();
            if (reopens && i % 5 === 4) {
              saver.close();
              saver = new ThreadRouter({ file });
              graph = graphCase.build(saver) as TestGraph;
            }
            expect(await take(graph, graphCase, turn)).toBe(await take(expected, graphCase, turn));
            expect(await stateOf(graph)).toBe(await stateOf(expected));
          }
          expect(await historyOf(saver)).toEqual(await historyOf(memory));
        } finally {
          saver.close();
        }
      }),
      { numRuns: Number(process.env.GRAPH_RUNS ?? 6) },
    );
  });
});

// What a turn adds must not grow with the thread. The rest of the state is small: a factor would be the length.
it.each([
  'messages reducer',
  'no reducer, whole list returned',
  'no reducer, plain objects',
  'Send with the whole state',
  'subgraph',
  'delta channel',
])('stores a long thread in linear space: %s', async (name) => {
  const graphCase = GRAPHS[name] as GraphCase;
  const saver = new ThreadRouter();
  const graph = graphCase.build(saver) as TestGraph;
  const pages: number[] = [];
  for (let i = 0; i < 120; i++) {
    saver.newRun();
    if (i % 40 === 0) pages.push(saver.database.sqlite.pragma('page_count', { simple: true }) as number);
    await graph.invoke(graphCase.input({ text: `${i} ${'x'.repeat(150)} `, n: 6 }), config);
  }
  const [start = 0, first = 0, second = 0] = pages;
  const end = saver.database.sqlite.pragma('page_count', { simple: true }) as number;
  expect(end - second).toBeLessThan(1.3 * (first - start));
  saver.close();
});

it('stores nothing of a checkpoint for which the disk has no room, and goes on', async () => {
  const saver = new ThreadRouter();
  const { sqlite } = saver.database;
  const graphCase = GRAPHS['messages reducer'] as GraphCase;
  const graph = graphCase.build(saver) as TestGraph;
  const turn = { text: 'x'.repeat(300), n: 5 };
  const next = () => graph.invoke(graphCase.input(turn), config);
  for (let i = 0; i < 3; i++) await next();
  const tuple = await saver.getTuple(config);
  if (!tuple) throw new Error('no checkpoint');
  const before = await historyOf(saver);
  const { messages } = tuple.checkpoint.channel_values as { messages: object[] };
  const more = Array.from({ length: 100 }, (_, i) => ({ role: 'user', content: `${i}`.padEnd(300) }));
  const checkpoint = { ...tuple.checkpoint, id: 'z', channel_values: { messages: [...messages, ...more] } };
  const put = () =>
    saver.put(tuple.config, checkpoint, { source: 'loop', step: 9, parents: {} }, { messages: 99 });
  sqlite.pragma(`max_page_count = ${sqlite.pragma('page_count', { simple: true })}`);
  await expect(put()).rejects.toThrow(Unavailable);
  expect(await historyOf(saver)).toEqual(before);
  sqlite.pragma('max_page_count = 1000000');
  await next();
  expect(await stateOf(graph)).toContain('7: ');
  await put();
  expect((await saver.getTuple(config))?.checkpoint.channel_values).toEqual(checkpoint.channel_values);
  saver.close();
});
