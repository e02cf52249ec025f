import { randomUUID } from 'node:crypto';
import { cpSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { call, messageOf, send } from '../driver/a2a.ts';
import { type Cost, interleave, measure, medians } from '../driver/measure.ts';
import type { Subject } from '../driver/process.ts';
import { atMost } from '../report/report.ts';
import type { Scenario } from './scenario.ts';
import { type Entry, withSubjects } from './subjects.ts';

interface Task {
  id: string;
  history?: unknown[];
}

const entries: Entry[] = [
  { name: 'Parley, graph', subject: 'parley' },
  { name: 'bare handler, graph', subject: 'bare-handler' },
];

const EARLY_TURN = 10;

/** One conversation of 1,000 turns: what a read, one more turn and a byte of storage cost at its end. */
export const threadScenario: Scenario = async (options) => {
  const { quick } = options;
  const turns = quick ? 20 : 1_000;
  const rounds = quick ? 1 : 9;
  return withSubjects(options, entries, async (started, missing) => {
    const long = randomUUID();
    const tasks: Task[] = [];
    for (const { entry, server } of started) {
      options.progress(`${turns} turns: ${entry.name}`);
      for (let turn = 1; turn <= turns; turn++) {
        if (entry.subject === 'parley') tasks.push(await turnOf(server, long));
        else await send(`${server.url}/answer`, 'hello', long);
      }
    }
    const sizes = new Map<string, number>();
    for (const { entry, server } of started) sizes.set(entry.name, sizeOf(server.folder));

    const takes = started.flatMap(({ entry, server }) => {
      const more = (contextId: string) => send(`${server.url}/answer`, 'hello', contextId);
      return [
        {
          name: `${entry.name}, one more turn at turn ${EARLY_TURN}`,
          take: async () => measureEach(server, await freshThreads(more, quick ? 2 : 12), more),
        },
        {
          name: `${entry.name}, one more turn at turn ${turns}`,
          take: () =>
            measureEach(
              server,
              Array.from({ length: quick ? 2 : 12 }, () => long),
              more,
            ),
        },
      ];
    });
    const parley = started.find(({ entry }) => entry.subject === 'parley');
    const reads = (parley ? [tasks[0], tasks.at(-1)] : []).flatMap((task, index) => {
      if (!parley || !task) return [];
      const read = () => getTask(parley.server, task.id);
      const load = { clients: 1, operations: quick ? 3 : 200 };
      return [
        {
          name: `Parley, GetTask historyScope=task of turn ${index === 0 ? 1 : turns}`,
          take: () => measure(parley.server, load, read),
        },
      ];
    });
    const all = [...reads, ...takes];
    for (const { take } of all) await take();
    const results = await interleave(rounds, all, options.progress);
    const cost = (name: string): Cost => medians(results.get(name) ?? [], ['ms', 'cpu']);
    const [firstRead, lastRead] = reads.map(({ name }) => cost(name));
    const grows = started.map(({ entry }) => ({
      name: entry.name,
      early: cost(`${entry.name}, one more turn at turn ${EARLY_TURN}`),
      late: cost(`${entry.name}, one more turn at turn ${turns}`),
    }));
    const [growth] = grows.filter(({ name }) => name.startsWith('Parley'));
    const megabytes = (sizes.get('Parley, graph') ?? Number.NaN) / 1e6;
    return {
      scenario: 'thread',
      method:
        `One context of ${turns} turns of a one-node graph, "hello" and its answer. Storage: the database file and its ` +
        'write-ahead log. The bare handler shows how much of the growth is the graph itself and its checkpoints.',
      tables: [
        {
          title: `One more turn at turn ${EARLY_TURN} and at turn ${turns}`,
          columns: ['server', `ms at ${EARLY_TURN}`, `ms at ${turns}`, 'ratio', 'CPU µs', 'CPU µs', 'ratio'],
          rows: grows.map(({ name, early, late }) => [
            name,
            early.ms,
            late.ms,
            late.ms / early.ms,
            early.cpu,
            late.cpu,
            late.cpu / early.cpu,
          ]),
        },
        {
          title: 'GetTask with historyScope=task',
          columns: ['task', 'ms', 'CPU µs'],
          rows: reads.map(({ name }) => [name, cost(name).ms, cost(name).cpu]),
        },
        {
          title: `Storage after ${turns} turns`,
          columns: ['server', 'MB'],
          rows: [...sizes].map(([name, bytes]) => [name, bytes / 1e6]),
        },
      ],
      checks: [
        ...(firstRead && lastRead
          ? [
              atMost(
                `GetTask historyScope=task, turn ${turns} to turn 1, time`,
                lastRead.ms / firstRead.ms,
                1.2,
                'x',
              ),
            ]
          : []),
        ...(growth
          ? [
              atMost(
                `one more turn, turn ${turns} to turn ${EARLY_TURN}, time`,
                growth.late.ms / growth.early.ms,
                3,
                'x',
              ),
            ]
          : []),
        atMost(`storage of ${turns} turns`, megabytes, 20, 'MB'),
      ],
      missing,
    };
  });
};

async function turnOf(server: Subject, contextId: string): Promise<Task> {
  const params = messageOf('hello', contextId);
  const { task } = await call<{ task: Task }>(`${server.url}/answer`, 'SendMessage', params);
  return task;
}

async function getTask(server: Subject, id: string): Promise<void> {
  const task = await call<Task>(`${server.url}/answer`, 'GetTask', { id, historyScope: 'task' });
  if (task.history?.length !== 2) throw new Error(`the task has ${task.history?.length} messages`);
}

async function freshThreads(more: (contextId: string) => Promise<void>, count: number): Promise<string[]> {
  const threads = Array.from({ length: count }, () => randomUUID());
  for (const thread of threads) for (let turn = 1; turn < EARLY_TURN; turn++) await more(thread);
  return threads;
}

function measureEach(
  server: Subject,
  threads: string[],
  more: (contextId: string) => Promise<void>,
): Promise<Cost> {
  const left = threads.values();
  return measure(server, { clients: 1, operations: threads.length }, () => more(left.next().value ?? ''));
}

/** Bytes of the database with its write-ahead log written back, on a copy: the file itself belongs to the server. */
function sizeOf(folder: string): number {
  const copy = mkdtempSync(join(tmpdir(), 'parley-bench-copy-'));
  try {
    cpSync(folder, copy, { recursive: true });
    const file = readdirSync(copy).find((name) => name.endsWith('.db'));
    if (file === undefined) return Number.NaN;
    const database = new Sqlite(join(copy, file));
    const size = ['page_count', 'page_size'].map((name) => database.pragma(name, { simple: true }) as number);
    database.close();
    return size.reduce((product, factor) => product * factor, 1);
  } finally {
    rmSync(copy, { recursive: true, force: true });
  }
}
