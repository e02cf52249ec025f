import { countTokens, orderText, type TokenOrder } from '../agents/tokens.ts';
import { send, sendStreaming } from '../driver/a2a.ts';
import { interleave, measure, median, medians } from '../driver/measure.ts';
import type { Subject } from '../driver/process.ts';
import { atMost, type Check, type Table } from '../report/report.ts';
import type { Scenario } from './scenario.ts';
import { type Entry, withSubjects } from './subjects.ts';

interface StreamEntry extends Entry {
  path: string;
  /** The graph alone answers once, at the end. */
  blocking?: boolean;
}

const PARLEY_GRAPH = 'Parley, graph';
const GRAPH_ALONE = 'the graph alone';
const PARLEY_ECHO = 'Parley, echo';
const SDK_MEMORY = 'SDK on Express, echo, memory';
const SDK_DATABASE = 'SDK on Express, echo, database';

const entries: StreamEntry[] = [
  { name: PARLEY_GRAPH, subject: 'parley', path: '/tokens' },
  { name: 'bare handler, graph', subject: 'bare-handler', path: '/tokens' },
  { name: GRAPH_ALONE, subject: 'bare-handler', path: '/tokens/silent', blocking: true },
  { name: PARLEY_ECHO, subject: 'parley', path: '/echo' },
  { name: SDK_MEMORY, subject: 'sdk-memory', path: '/' },
  { name: SDK_DATABASE, subject: 'sdk-database', path: '/' },
];

interface Shape extends TokenOrder {
  name: string;
  clients: number;
  streams: number;
}

/** Pauses longer than the 2 ms for which Parley collects tokens: each is an event of its own. */
const PACE_MS = 5;

function shapesOf(quick: boolean): { burst: Shape[]; paced: Shape[] } {
  const [short, long] = quick ? [10, 20] : [200, 1_000];
  const burst = (chunks: number, streams: number): Shape => ({
    name: `${chunks} tokens, no pause, 1 client`,
    chunks,
    everyMs: 0,
    clients: 1,
    streams: quick ? 2 : streams,
  });
  const paced = (chunks: number): Shape => ({
    name: `${chunks} tokens, one every ${PACE_MS} ms, 8 clients`,
    chunks,
    everyMs: PACE_MS,
    clients: 8,
    streams: 8,
  });
  return { burst: [burst(short, 20), burst(long, 4)], paced: [paced(short), paced(short * 2)] };
}

interface StreamCost {
  /** Per token, microseconds. */
  cpu: number;
  firstEventMs: number;
  firstTokenMs: number;
  /** Bytes on the wire per character of text. */
  bytes: number;
}

const FIGURES = ['cpu', 'firstEventMs', 'firstTokenMs', 'bytes'] as const;

/** A streamed answer: what a token costs, when the first event is there, how long the wire is. */
export const streamScenario: Scenario = async (options) => {
  const { quick } = options;
  const { burst, paced } = shapesOf(quick);
  return withSubjects(options, entries, async (started, missing) => {
    const [warmUp] = burst;
    for (const { entry, server } of started) if (warmUp) await takeStreams(entry, server, warmUp);
    const turns = started.flatMap(({ entry, server }) =>
      [...burst, ...paced].map((shape) => ({
        name: nameOf(entry.name, shape),
        take: () => takeStreams(entry, server, shape),
      })),
    );
    const results = await interleave(quick ? 1 : 5, turns, options.progress);
    const cost = (name: string, shape: Shape): StreamCost =>
      medians(results.get(nameOf(name, shape)) ?? [], FIGURES);
    return {
      scenario: 'stream',
      method:
        'A streamed answer of tokens of ten characters. With no pause a token comes with every turn of the event loop ' +
        'and Parley joins those of 2 ms into an event; with a pause of 5 ms each is an event. CPU: user and system ' +
        'time of the server per token. First event and first token: from the last byte of the request.',
      tables: [...burst, ...paced].map((shape) =>
        tableOf(
          started.map(({ entry }) => entry.name),
          shape,
          cost,
        ),
      ),
      checks: checksOf(burst, paced, cost),
      missing,
    };
  });
};

type CostOf = (name: string, shape: Shape) => StreamCost;

function nameOf(name: string, shape: Shape): string {
  return `${name}, ${shape.name}`;
}

async function takeStreams(entry: StreamEntry, server: Subject, shape: Shape): Promise<StreamCost> {
  const url = server.url + entry.path;
  const text = orderText(shape);
  const times: { first: number; token: number; bytes: number }[] = [];
  const { cpu } = await measure(server, { clients: shape.clients, operations: shape.streams }, async () => {
    if (entry.blocking) return send(url, text);
    const { firstEventMs, markerMs, wireBytes, body } = await sendStreaming(url, text, 'token0000');
    const count = countTokens(body);
    if (count < shape.chunks) throw new Error(`${url} sent ${count} tokens of ${shape.chunks}`);
    times.push({ first: firstEventMs, token: markerMs, bytes: wireBytes });
  });
  return {
    cpu: cpu / shape.chunks,
    firstEventMs: median(times.map(({ first }) => first)),
    firstTokenMs: median(times.map(({ token }) => token)),
    bytes: median(times.map(({ bytes }) => bytes)) / (shape.chunks * 10),
  };
}

function tableOf(names: readonly string[], shape: Shape, cost: CostOf): Table {
  const alone = cost(GRAPH_ALONE, shape);
  const echo = cost(PARLEY_ECHO, shape);
  return {
    title: shape.name,
    columns: [
      'server',
      'CPU µs per token',
      'beyond the graph',
      'CPU : Parley echo',
      'first event ms',
      'first token ms',
      'bytes per character',
    ],
    rows: names.map((name) => {
      const { cpu, firstEventMs, firstTokenMs, bytes } = cost(name, shape);
      const graph = name.endsWith('graph');
      return [
        name,
        cpu,
        graph ? cpu - alone.cpu : undefined,
        cpu / echo.cpu,
        firstEventMs,
        firstTokenMs,
        bytes,
      ];
    }),
  };
}

function checksOf(burst: Shape[], paced: Shape[], cost: CostOf): Check[] {
  const beyond = (shape: Shape): Check =>
    atMost(
      `Parley's CPU per token beyond the graph's own (${shape.name})`,
      cost(PARLEY_GRAPH, shape).cpu - cost(GRAPH_ALONE, shape).cpu,
      20,
      'µs',
    );
  const toSdk = (shape: Shape): Check[] =>
    [SDK_MEMORY, SDK_DATABASE].map((name) =>
      atMost(
        `Parley to ${name}, CPU per token (${shape.name})`,
        cost(PARLEY_ECHO, shape).cpu / cost(name, shape).cpu,
        0.25,
        'x',
      ),
    );
  const first = (shape: Shape): Check[] =>
    [PARLEY_GRAPH, PARLEY_ECHO].map((name) =>
      atMost(`${name}: first event (${shape.name})`, cost(name, shape).firstEventMs, 3, 'ms'),
    );
  const [short, long] = burst;
  const [once, twice] = paced;
  if (!short || !long || !once || !twice) return [];
  const growth = (name: string): Check =>
    atMost(
      `${name}: bytes per character at twice the length`,
      cost(name, twice).bytes / cost(name, once).bytes,
      1.05,
      'x',
    );
  return [
    ...first(short),
    ...[long, once].map(beyond),
    ...[long, once].flatMap(toSdk),
    ...[PARLEY_GRAPH, PARLEY_ECHO].map(growth),
  ];
}
