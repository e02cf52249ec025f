import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Command, MemorySaver } from '@langchain/langgraph';
import { type BaseCheckpointSaver, JsonPlusSerializer } from '@langchain/langgraph-checkpoint';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
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

  it.each([{ newRuns: true }, { newRuns: false }])(
    'equals MemorySaver after every turn %o',
    async ({ newRuns }) => {
      await fc.assert(
        fc.asyncProperty(turns, fc.boolean(), async (script, reopens) => {
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
        { numRuns: 15 },
      );
    },
  );
});
