import { send } from '../driver/a2a.ts';
import { post } from '../driver/http.ts';
import { type Cost, inParallel, interleave, measure, medians, ratio } from '../driver/measure.ts';
import { atLeast, atMost, type Check, type Table } from '../report/report.ts';
import type { Scenario } from './scenario.ts';
import { type Entry, withSubjects } from './subjects.ts';

interface SendEntry extends Entry {
  keeps: string;
  /** One operation: a message in a fresh context, answered. */
  send(url: string): Promise<unknown>;
  /** A slow subject gets fewer. */
  share: number;
}

const PARLEY_GRAPH = 'Parley, graph';
const BARE = 'bare handler, graph';
const DEV_SERVER = 'LangGraph.js dev server, graph';
const PARLEY_ECHO = 'Parley, echo';
const SDK_MEMORY = 'SDK on Express, echo, memory';
const SDK_DATABASE = 'SDK on Express, echo, database';

const to = (path: string) => (url: string) => send(url + path, 'hello');

const entries: SendEntry[] = [
  { name: PARLEY_GRAPH, subject: 'parley', keeps: 'task, events, thread', send: to('/answer'), share: 1 },
  { name: BARE, subject: 'bare-handler', keeps: 'thread', send: to('/answer'), share: 1 },
  { name: PARLEY_ECHO, subject: 'parley', keeps: 'task, events', send: to('/echo'), share: 1 },
  { name: SDK_MEMORY, subject: 'sdk-memory', keeps: 'nothing', send: to('/'), share: 1 },
  { name: SDK_DATABASE, subject: 'sdk-database', keeps: 'task', send: to('/'), share: 1 },
  { name: 'plain node:http, JSON', subject: 'plain-http', keeps: 'nothing', send: to('/'), share: 1 },
];

const devServer: SendEntry = {
  name: DEV_SERVER,
  subject: 'dev-server',
  keeps: 'a copy every 3 s',
  send: async (url) => {
    const { thread_id: thread } = JSON.parse(await post(`${url}/threads`, {})) as { thread_id: string };
    const input = { messages: [{ role: 'user', content: 'hello' }] };
    const answer = await post(`${url}/threads/${thread}/runs/wait`, { assistant_id: 'answer', input });
    if (!answer.includes('you said hello')) throw new Error(`the run did not answer: ${answer}`);
  },
  share: 1 / 20,
};

const CLIENTS = [1, 16];

/** A blocking send in a fresh context, at 1 and at 16 clients. */
export const sendScenario: Scenario = async (options) => {
  const { quick } = options;
  const rounds = quick ? 1 : 15;
  const operations = (clients: number): number => (quick ? 20 : clients === 1 ? 150 : 400);
  const warmUp = quick ? 5 : 2_500;

  return withSubjects(
    options,
    options.devServer ? entries.toSpliced(2, 0, devServer) : entries,
    async (started, missing) => {
      for (const { entry, server } of started) {
        const load = { clients: 4, operations: Math.ceil(warmUp * entry.share) };
        await inParallel(load, () => entry.send(server.url));
      }
      const turns = started.flatMap(({ entry, server }) =>
        CLIENTS.map((clients) => ({
          name: nameOf(entry.name, clients),
          take: () => {
            const load = {
              clients,
              operations: Math.max(clients, Math.ceil(operations(clients) * entry.share)),
            };
            return measure(server, load, () => entry.send(server.url));
          },
        })),
      );
      const results = await interleave(rounds, turns, options.progress);
      const costs = (name: string, clients: number): Cost[] => results.get(nameOf(name, clients)) ?? [];
      if (!options.devServer) missing.push(`${DEV_SERVER}: it is compared with --dev-server only`);
      return {
        scenario: 'send',
        method:
          'A blocking send of "hello" in a context of its own. ms: elapsed time per send (at 16 clients the inverse of ' +
          'the throughput). CPU: user and system time of the server per send.',
        tables: CLIENTS.map((clients) =>
          tableOf(
            started.map(({ entry }) => entry),
            clients,
            costs,
          ),
        ),
        checks: CLIENTS.flatMap((clients) => checksOf(clients, costs)),
        missing,
      };
    },
  );
};

/** One for each round. */
type CostsOf = (name: string, clients: number) => Cost[];

function nameOf(name: string, clients: number): string {
  return `${name}, ${clients} client${clients === 1 ? '' : 's'}`;
}

function tableOf(shown: readonly SendEntry[], clients: number, costs: CostsOf): Table {
  const rows = shown.map(({ name, keeps }) => {
    const own = costs(name, clients);
    const { ms, cpu } = medians(own, ['ms', 'cpu']);
    const ratios = [PARLEY_GRAPH, PARLEY_ECHO].flatMap((parley) => {
      const { ms, cpu } = ratio(own, costs(parley, clients));
      return [ms, cpu];
    });
    return [name, keeps, ms, 1_000 / ms, cpu, ...ratios];
  });
  return {
    title: clients === 1 ? '1 client' : `${clients} clients`,
    columns: [
      'server',
      'keeps on disk',
      'ms',
      'sends/s',
      'CPU µs',
      'ms : Parley graph',
      'CPU : Parley graph',
      'ms : Parley echo',
      'CPU : Parley echo',
    ],
    rows,
  };
}

function checksOf(clients: number, costs: CostsOf): Check[] {
  const at = `at ${clients} client${clients === 1 ? '' : 's'}`;
  const between = (one: string, other: string): Cost => ratio(costs(one, clients), costs(other, clients));
  const checks = [
    atMost(`Parley to bare handler, time ${at}`, between(PARLEY_GRAPH, BARE).ms, 1.25, 'x'),
    atMost(`Parley to SDK in memory, CPU ${at}`, between(PARLEY_ECHO, SDK_MEMORY).cpu, 0.25, 'x'),
    atMost(`Parley to SDK on its database, CPU ${at}`, between(PARLEY_ECHO, SDK_DATABASE).cpu, 0.25, 'x'),
    atLeast(
      `dev server to Parley, time ${at}`,
      between(DEV_SERVER, PARLEY_GRAPH).ms,
      clients === 1 ? 30 : 10,
      'x',
    ),
  ];
  return checks.filter(({ measured }) => !Number.isNaN(measured));
}
