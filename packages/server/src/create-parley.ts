import { type Logger, pino } from 'pino';
import { type Refuse, readHttp, readSettings } from './config/read-settings.ts';
import type { HttpSettings } from './config/settings.ts';
import { checkStore, type StoreSettings } from './config/store-settings.ts';
import { createServer, type Parley, type ServedAgent } from './create-server.ts';
import { agentOf } from './langgraph/agent.ts';

export interface ParleyOptions {
  /** By graph id: anything an entry of `langgraph.json` may export. */
  graphs: { [graphId: string]: unknown };
  descriptions?: { [graphId: string]: string };
  /** As under `a2a` in a `langgraph.json`. */
  a2a?: object;
  /** As under `http`. */
  http?: HttpSettings;
  /** As under `store`, LangGraph's long-term memory, but that `index.embed` is the model itself. */
  store?: StoreSettings;
  /** SQLite file of tasks, events and threads. Without one nothing is kept. */
  database?: string;
  /** `process.env` if absent. */
  env?: { [name: string]: string | undefined };
  logger?: Logger;
  /** Milliseconds since 1970. */
  now?: () => number;
}

/** An A2A server for graphs of an application of one's own. Throws `TypeError` for what is no agent or no setting. */
export async function createParley(options: ParleyOptions): Promise<Parley> {
  const { database = ':memory:', env = process.env, logger = pino({ level: 'warn' }), now } = options;
  const wrong = Object.keys(options).find((name) => !OPTIONS.has(name));
  if (wrong !== undefined) {
    throw refuse(wrong, `is no option of createParley; there are ${[...OPTIONS].join(', ')}`);
  }
  if (Object.keys(options.graphs).length === 0) throw refuse('graphs', 'expected at least one graph');
  const settings = readSettings(options.a2a, Object.keys(options.graphs), refuse);
  const http = readHttp(options.http, refuse);
  const memory = checkStore(options.store, refuse);
  const agents = new Map<string, ServedAgent>();
  for (const graphId of Object.keys(options.descriptions ?? {})) {
    if (!Object.hasOwn(options.graphs, graphId))
      throw refuse(`descriptions.${graphId}`, 'there is no such graph');
  }
  for (const [graphId, exported] of Object.entries(options.graphs)) {
    if (graphId === '') throw refuse('graphs', 'expected an id for every graph');
    const agent = await agentOf(exported);
    if (!agent) throw refuse(`graphs.${graphId}`, 'is not an agent');
    const description = options.descriptions?.[graphId];
    agents.set(graphId, { agent, ...(description === undefined ? {} : { description }) });
  }
  return createServer({
    agents,
    settings,
    http,
    database,
    memory,
    env,
    logger,
    ...(now ? { now } : {}),
  });
}

const OPTIONS: ReadonlySet<string> = new Set<keyof ParleyOptions>([
  'graphs',
  'descriptions',
  'a2a',
  'http',
  'store',
  'database',
  'env',
  'logger',
  'now',
]);

const refuse: Refuse = (key, problem, cause) =>
  new TypeError(`${key}: ${problem}`, cause === undefined ? {} : { cause });
