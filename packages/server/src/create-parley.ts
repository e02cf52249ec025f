import { type Logger, pino } from 'pino';
import { settings } from './config/settings.ts';
import { createServer, type Parley, type ServedAgent } from './create-server.ts';
import type { CorsSettings } from './http/cors.ts';
import { agentOf } from './langgraph/agent.ts';

export interface ParleyOptions {
  /** By graph id: anything an entry of `langgraph.json` may export. */
  graphs: { [graphId: string]: unknown };
  descriptions?: { [graphId: string]: string };
  /** As under `a2a` in a `langgraph.json`. */
  a2a?: object;
  http?: { disable_a2a?: boolean; cors?: CorsSettings };
  /** SQLite file of tasks, events and threads. Without one nothing is kept. */
  database?: string;
  env?: { [name: string]: string | undefined };
  logger?: Logger;
  /** Milliseconds since 1970. */
  now?: () => number;
}

/** An A2A server for graphs of an application of one's own. Throws `TypeError` for what is no agent or no setting. */
export async function createParley(options: ParleyOptions): Promise<Parley> {
  const {
    a2a = {},
    http = {},
    database = ':memory:',
    env = {},
    logger = pino({ level: 'warn' }),
    now,
  } = options;
  const parsed = settings.safeParse(a2a);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    throw new TypeError(`a2a.${issue?.path.join('.')}: ${issue?.message}`);
  }
  const agents = new Map<string, ServedAgent>();
  for (const [graphId, exported] of Object.entries(options.graphs)) {
    const agent = await agentOf(exported);
    if (!agent) throw new TypeError(`graphs.${graphId} is not an agent`);
    const description = options.descriptions?.[graphId];
    agents.set(graphId, { agent, ...(description === undefined ? {} : { description }) });
  }
  return createServer({
    agents,
    settings: parsed.data,
    http,
    database,
    env,
    logger,
    ...(now ? { now } : {}),
  });
}
