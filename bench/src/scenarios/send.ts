import { send } from '../driver/a2a.ts';
import { post } from '../driver/http.ts';
import { type Cost, inParallel, interleave, measure, medians } from '../driver/measure.ts';
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
  const rounds = quick ? 1 : 5;
  const operations = (clients: number): number => (quick ? 20 : clients === 1 ? 400 : 1_200);
  const warmUp = quick ? 5 : 500;

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
      const cost = (name: string, clients: number): Cost =>
        medians(results.get(nameOf(name, clients)) ?? [], ['ms', 'cpu']);
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
            cost,
          ),
        ),
        checks: CLIENTS.flatMap((clients) => checksOf(clients, cost)),
        missing,
      };
    },
  );
};

type CostOf = (name: string, clients: number) => Cost;

function nameOf(name: string, clients: number): string {
  return `${name}, ${clients} client${clients === 1 ? '' : 's'}`;
}

function tableOf(shown: readonly SendEntry[], clients: number, cost: CostOf): Table {
  const rows = shown.map(({ name, keeps }) => {
    const { ms, cpu } = cost(name, clients);
    const graph = cost(PARLEY_GRAPH, clients);
    const echo = cost(PARLEY_ECHO, clients);
    return [name, keeps, ms, 1_000 / ms, cpu, ms / graph.ms, cpu / graph.cpu, ms / echo.ms, cpu / echo.cpu];
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

function checksOf(clients: number, cost: CostOf): Check[] {
  const at = `at ${clients} client${clients === 1 ? '' : 's'}`;
  const graph = cost(PARLEY_GRAPH, clients);
  const echo = cost(PARLEY_ECHO, clients);
  const dev = cost(DEV_SERVER, clients);
  const checks = [
    atMost(`Parley to bare handler, time ${at}`, graph.ms / cost(BARE, clients).ms, 1.25, 'x'),
    atMost(`Parley to SDK in memory, CPU ${at}`, echo.cpu / cost(SDK_MEMORY, clients).cpu, 0.25, 'x'),
    atMost(`Parley to SDK on its database, CPU ${at}`, echo.cpu / cost(SDK_DATABASE, clients).cpu, 0.25, 'x'),
    atLeast(`dev server to Parley, time ${at}`, dev.ms / graph.ms, clients === 1 ? 30 : 10, 'x'),
  ];
  return checks.filter(({ measured }) => !Number.isNaN(measured));
}
