import { setTimeout } from 'node:timers/promises';
import { call, messageOf, send, subscribe } from '../driver/a2a.ts';
import { inParallel } from '../driver/measure.ts';
import type { Subject } from '../driver/process.ts';
import { atMost, type Check, type Table } from '../report/report.ts';
import type { Memory } from '../subjects/subject.ts';
import type { Scenario } from './scenario.ts';
import { type Entry, withSubjects } from './subjects.ts';

const parley: Entry = { name: 'Parley', subject: 'parley' };

const MB = 1e6;

/** What 1,000 watchers cost, and whether sends leave anything behind. */
export const memoryScenario: Scenario = async (options) => {
  const [idle, idleMissing] = await withSubjects(options, [parley], async ([first], missing) => [
    first && (await idleStreams(first.server, options.quick)),
    missing,
  ]);
  const [sends, sendsMissing] = await withSubjects(options, [parley], async ([first], missing) => [
    first && (await manySends(first.server, options.quick, options.progress)),
    missing,
  ]);
  const found = [idle, sends].filter((one) => one !== undefined);
  return {
    scenario: 'memory',
    method:
      'Idle streams: SubscribeToTask on a task that waits for an answer; resident memory and heap after a garbage ' +
      'collection, before and while they are open. Sends: blocking sends to a one-node graph, each in a context of its ' +
      'own, heap after a garbage collection.',
    tables: found.map(({ table }) => table),
    checks: found.flatMap(({ checks }) => checks),
    missing: [...idleMissing, ...sendsMissing],
  };
};

interface Found {
  table: Table;
  checks: Check[];
}

async function idleStreams(server: Subject, quick: boolean): Promise<Found> {
  const streams = quick ? 20 : 1_000;
  const observeMs = quick ? 500 : 5_000;
  const url = `${server.url}/asks`;
  const { task } = await call<{ task: { id: string } }>(url, 'SendMessage', messageOf('hello'));
  // The first streams load code; it is no part of what a stream costs.
  const warm = await Promise.all(Array.from({ length: 20 }, () => subscribe(url, task.id)));
  for (const close of warm) close();
  await setTimeout(200);
  const before = await server.memory();
  const closes: (() => void)[] = [];
  await inParallel({ clients: 20, operations: streams }, async () => {
    closes.push(await subscribe(url, task.id));
  });
  await setTimeout(200);
  const cpuBefore = await server.cpu();
  await setTimeout(observeMs);
  const cpuShare = ((await server.cpu()) - cpuBefore) / (observeMs * 1_000);
  const open = await server.memory();
  for (const close of closes) close();
  await setTimeout(500);
  const after = await server.memory();
  return {
    table: {
      title: `${streams} idle streams`,
      columns: ['', 'RSS MB', 'heap MB', 'CPU of a core'],
      rows: [
        ['before', before.rss / MB, before.heap / MB, undefined],
        ['open', open.rss / MB, open.heap / MB, `${(cpuShare * 100).toFixed(1)} %`],
        ['closed again', after.rss / MB, after.heap / MB, undefined],
      ],
    },
    checks: [atMost(`${streams} idle streams, resident memory`, (open.rss - before.rss) / MB, 60, 'MB')],
  };
}

/** Growth beyond this is a leak: 20,000 sends that each kept 250 bytes. */
const FLAT_MB = 5;

async function manySends(server: Subject, quick: boolean, progress: (line: string) => void): Promise<Found> {
  const steps = quick ? [50, 100] : [2_000, 4_000, 8_000, 16_000, 22_000];
  const rows: [string, Memory][] = [];
  let done = 0;
  for (const step of steps) {
    progress(`${step} sends`);
    await inParallel({ clients: 16, operations: step - done }, () => send(`${server.url}/answer`, 'hello'));
    done = step;
    await setTimeout(200);
    rows.push([`after ${step}`, await server.memory()]);
  }
  const growth = ((rows.at(-1)?.[1].heap ?? 0) - (rows[0]?.[1].heap ?? 0)) / MB;
  return {
    table: {
      title: 'Sends',
      columns: ['sends', 'RSS MB', 'heap MB'],
      rows: rows.map(([name, { rss, heap }]) => [name, rss / MB, heap / MB]),
    },
    checks: [atMost(`growth of the heap from ${steps[0]} to ${steps.at(-1)} sends`, growth, FLAT_MB, 'MB')],
  };
}
