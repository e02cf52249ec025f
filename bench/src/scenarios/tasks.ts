import { call } from '../driver/a2a.ts';
import { interleave, measure, medians } from '../driver/measure.ts';
import type { Subject } from '../driver/process.ts';
import { atMost, type Check, type Table } from '../report/report.ts';
import type { Scenario } from './scenario.ts';
import { type Entry, withSubjects } from './subjects.ts';

interface ListEntry extends Entry {
  server: 'Parley' | 'SDK, database';
  path: string;
  tasks: number;
}

const PAGE = 50;

const QUERIES: { name: string; params: object }[] = [
  { name: 'first page', params: { pageSize: PAGE } },
  { name: 'second page', params: { pageSize: PAGE } },
  { name: 'first page of the completed', params: { pageSize: PAGE, status: 'TASK_STATE_COMPLETED' } },
];

interface Listed {
  tasks: unknown[];
  nextPageToken?: string;
}

/** A page of 50 tasks out of few and out of many. */
export const tasksScenario: Scenario = async (options) => {
  const { quick } = options;
  const sizes: [number, number] = quick ? [60, 300] : [100, 100_000];
  const entries = sizes.flatMap((tasks): ListEntry[] => [
    { name: `Parley, ${tasks} tasks`, server: 'Parley', subject: 'parley', path: '/echo', tasks },
    { name: `SDK, ${tasks} tasks`, server: 'SDK, database', subject: 'sdk-database', path: '/', tasks },
  ]);
  return withSubjects(options, entries, async (started, missing) => {
    const turns = [];
    for (const { entry, server } of started) {
      for (const { name, params } of await queriesOf(server, entry)) {
        const list = () => call<Listed>(server.url + entry.path, 'ListTasks', params);
        const load = {
          clients: 1,
          operations: quick ? 3 : entry.tasks > 1_000 && entry.subject !== 'parley' ? 20 : 150,
        };
        for (let n = 0; n < load.operations; n++) await list();
        turns.push({ name: `${entry.name}, ${name}`, take: () => measure(server, load, list) });
      }
    }
    const results = await interleave(quick ? 1 : 5, turns, options.progress);
    const ratios: { server: string; query: string; few: Cost; many: Cost }[] = [];
    for (const server of ['Parley', 'SDK, database'] as const) {
      const [few, many] = sizes.map((size) =>
        started.find(({ entry }) => entry.server === server && entry.tasks === size),
      );
      if (!few || !many) continue;
      const cost = (name: string, query: string): Cost =>
        medians(results.get(`${name}, ${query}`) ?? [], ['ms', 'cpu']);
      for (const { name } of QUERIES) {
        ratios.push({
          server,
          query: name,
          few: cost(few.entry.name, name),
          many: cost(many.entry.name, name),
        });
      }
    }
    return {
      scenario: 'tasks',
      method:
        `ListTasks of ${PAGE}, without artifacts, out of ${sizes[0]} and out of ${sizes[1]} finished tasks, each in a ` +
        'context of its own. ms: elapsed time per call, 1 client.',
      tables: [tableOf(sizes, ratios)],
      checks: checksOf(ratios),
      missing,
    };
  });
};

interface Cost {
  ms: number;
  cpu: number;
}

interface Ratio {
  server: string;
  query: string;
  few: Cost;
  many: Cost;
}

/** The second page needs the first one's token. */
async function queriesOf(server: Subject, entry: ListEntry): Promise<{ name: string; params: object }[]> {
  const queries: { name: string; params: object }[] = [];
  for (const [index, { name, params }] of QUERIES.entries()) {
    const { tasks, nextPageToken } = await call<Listed>(server.url + entry.path, 'ListTasks', params);
    if (tasks.length !== PAGE) throw new Error(`${entry.name}: a page has ${tasks.length} tasks`);
    queries.push({ name, params: index === 1 ? { ...params, pageToken: nextPageToken } : params });
  }
  return queries;
}

function tableOf(sizes: [number, number], ratios: Ratio[]): Table {
  return {
    title: 'ListTasks',
    columns: [
      'server and page',
      `ms at ${sizes[0]}`,
      `ms at ${sizes[1]}`,
      'ratio',
      `CPU µs at ${sizes[0]}`,
      `CPU µs at ${sizes[1]}`,
      'ratio',
    ],
    rows: ratios.map(({ server, query, few, many }) => [
      `${server}, ${query}`,
      few.ms,
      many.ms,
      many.ms / few.ms,
      few.cpu,
      many.cpu,
      many.cpu / few.cpu,
    ]),
  };
}

/** "Flat": what a page costs does not follow the number of tasks; a quarter is left for a deeper index. */
function checksOf(ratios: Ratio[]): Check[] {
  return ratios
    .filter(({ server }) => server === 'Parley')
    .map(({ query, few, many }) => atMost(`${query}, many tasks to few, time`, many.ms / few.ms, 1.25, 'x'));
}
