import { randomUUID } from 'node:crypto';
import { cpSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { call, messageOf, send } from '../driver/a2a.ts';
import { type Cost, interleave, measure, medians } from '../driver/measure.ts';
import type { Subject } from '../driver/process.ts';
import { atMost, type Check, type Table } from '../report/report.ts';
import type { Scenario } from './scenario.ts';
import { type Entry, type Started, withSubjects } from './subjects.ts';

interface ThreadEntry extends Entry {
  /** Of its sends. */
  configuration?: object;
}

const PARLEY = 'Parley, graph';
const PARLEY_BRIEF = 'Parley, graph, historyLength 0';
const BARE = 'bare handler, graph';

const entries: ThreadEntry[] = [
  { name: PARLEY, subject: 'parley' },
  { name: PARLEY_BRIEF, subject: 'parley', configuration: { historyLength: 0 } },
  { name: BARE, subject: 'bare-handler' },
];

const EARLY_TURN = 10;

/** One conversation of 1,000 turns: what a read, one more turn and a byte of storage cost at its end. */
export const threadScenario: Scenario = async (options) => {
  const { quick, progress } = options;
  const turns = quick ? 20 : 1_000;
  return withSubjects(options, entries, async (started, missing) => {
    const long = randomUUID();
    const sizes: [string, number][] = [];
    for (const { entry, server } of started) {
      progress(`${turns} turns: ${entry.name}`);
      for (let turn = 1; turn <= turns; turn++) await oneTurn(entry, server, long);
      sizes.push([entry.name, sizeOf(server.folder)]);
    }
    const parley = started.find(({ entry }) => entry.name === PARLEY);
    const takes = [
      ...(parley ? await readsOf(parley.server, long, turns, quick ? 3 : 200) : []),
      ...started.flatMap((one) => turnsOf(one, long, turns, quick ? 2 : 12)),
    ];
    for (const { take } of takes) await take();
    const results = await interleave(quick ? 1 : 9, takes, progress);
    const cost = (name: string): Cost => medians(results.get(name) ?? [], ['ms', 'cpu']);
    const names = started.map(({ entry }) => entry.name);
    return {
      scenario: 'thread',
      method:
        `One context of ${turns} turns of a one-node graph, "hello" and its answer. A send answers with the messages of ` +
        'its context unless historyLength says otherwise: the second row leaves them out. The bare handler shows how ' +
        'much of the growth is the graph itself and its checkpoints. Storage: the database file once its write-ahead ' +
        'log (32 MiB at most) is written back.',
      tables: [
        turnTable(names, turns, cost),
        readTable(turns, cost),
        { title: `Storage after ${turns} turns`, columns: ['server', 'MB'], rows: sizes.map(inMegabytes) },
      ],
      checks: checksOf(turns, cost, sizes.find(([name]) => name === PARLEY)?.[1] ?? Number.NaN),
      missing,
    };
  });
};

type CostOf = (name: string) => Cost;

interface Turn {
  name: string;
  take: () => Promise<Cost>;
}

const turnName = (name: string, turn: number): string => `${name}: one more turn at turn ${turn}`;
const readName = (turn: number): string => `Parley: GetTask historyScope=task of turn ${turn}`;

function oneTurn({ configuration }: ThreadEntry, server: Subject, contextId: string): Promise<void> {
  return send(`${server.url}/answer`, 'hello', contextId, configuration);
}

/** One more turn in young threads and in the long one. */
function turnsOf(
  { entry, server }: Started<ThreadEntry>,
  long: string,
  turns: number,
  count: number,
): Turn[] {
  const measureIn = (threads: string[]): Promise<Cost> => {
    const left = threads.values();
    const load = { clients: 1, operations: threads.length };
    return measure(server, load, () => oneTurn(entry, server, left.next().value ?? long));
  };
  return [
    {
      name: turnName(entry.name, EARLY_TURN),
      take: async () => {
        const threads = Array.from({ length: count }, () => randomUUID());
        for (const thread of threads)
          for (let turn = 1; turn < EARLY_TURN; turn++) await oneTurn(entry, server, thread);
        return measureIn(threads);
      },
    },
    { name: turnName(entry.name, turns), take: () => measureIn(Array.from({ length: count }, () => long)) },
  ];
}

/** Reads of a task that began a thread, and of one that ends a thread of 1,000 turns. */
async function readsOf(server: Subject, long: string, turns: number, operations: number): Promise<Turn[]> {
  const turnOf = async (contextId?: string): Promise<string> => {
    const params = messageOf('hello', contextId);
    const { task } = await call<{ task: Task }>(`${server.url}/answer`, 'SendMessage', params);
    return task.id;
  };
  const read = async (id: string): Promise<void> => {
    const task = await call<Task>(`${server.url}/answer`, 'GetTask', { id, historyScope: 'task' });
    if (task.history?.length !== 2) throw new Error(`the task has ${task.history?.length} messages`);
  };
  const first = await turnOf();
  const last = await turnOf(long);
  const load = { clients: 1, operations };
  return [
    { name: readName(1), take: () => measure(server, load, () => read(first)) },
    { name: readName(turns), take: () => measure(server, load, () => read(last)) },
  ];
}

interface Task {
  id: string;
  history?: unknown[];
}

/** Bytes of the database, on a copy with its log written back: the file itself belongs to the server. */
function sizeOf(folder: string): number {
  const copy = mkdtempSync(join(tmpdir(), 'parley-bench-copy-'));
  try {
    cpSync(folder, copy, { recursive: true });
    const file = readdirSync(copy).find((name) => name.endsWith('.db'));
    if (file === undefined) return Number.NaN;
    const database = new Sqlite(join(copy, file));
    const pragma = (name: string): number => database.pragma(name, { simple: true }) as number;
    const size = pragma('page_count') * pragma('page_size');
    database.close();
    return size;
  } finally {
    rmSync(copy, { recursive: true, force: true });
  }
}

function inMegabytes([name, bytes]: [string, number]): [string, number] {
  return [name, bytes / 1e6];
}

function turnTable(names: readonly string[], turns: number, cost: CostOf): Table {
  return {
    title: `One more turn at turn ${EARLY_TURN} and at turn ${turns}`,
    columns: [
      'server',
      `ms at ${EARLY_TURN}`,
      `ms at ${turns}`,
      'ratio',
      `CPU µs at ${EARLY_TURN}`,
      `CPU µs at ${turns}`,
      'ratio',
    ],
    rows: names.map((name) => {
      const early = cost(turnName(name, EARLY_TURN));
      const late = cost(turnName(name, turns));
      return [name, early.ms, late.ms, late.ms / early.ms, early.cpu, late.cpu, late.cpu / early.cpu];
    }),
  };
}

function readTable(turns: number, cost: CostOf): Table {
  return {
    title: 'GetTask with historyScope=task',
    columns: ['task', 'ms', 'CPU µs'],
    rows: [1, turns].map((turn) => [`turn ${turn}`, cost(readName(turn)).ms, cost(readName(turn)).cpu]),
  };
}

function checksOf(turns: number, cost: CostOf, bytes: number): Check[] {
  const growth = (name: string): Check =>
    atMost(
      `${name}: one more turn, turn ${turns} to turn ${EARLY_TURN}, time`,
      cost(turnName(name, turns)).ms / cost(turnName(name, EARLY_TURN)).ms,
      3,
      'x',
    );
  return [
    atMost(
      `GetTask historyScope=task, turn ${turns} to turn 1, time`,
      cost(readName(turns)).ms / cost(readName(1)).ms,
      1.2,
      'x',
    ),
    growth(PARLEY),
    growth(PARLEY_BRIEF),
    atMost(`storage of ${turns} turns`, bytes / 1e6, 20, 'MB'),
  ];
}
