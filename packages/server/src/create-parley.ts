import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { serve } from '@hono/node-server';
import { codec as codecV0_3 } from '@parley/protocol/v0_3';
import { codec as codecV1_0 } from '@parley/protocol/v1_0';
import { type Logger, pino } from 'pino';
import { v7 as uuidV7 } from 'uuid';
import { type Assistants, createAssistants, type ServedAssistant } from './assistants/assistants.ts';
import { type Settings, settings as settingsSchema } from './config/settings.ts';
import { createLocalWake } from './engine/local-wake.ts';
import { createOperations } from './engine/operations.ts';
import type { AgentExecutor, Store } from './engine/ports.ts';
import { startWorker } from './engine/worker.ts';
import { cardHandler } from './http/card-routes.ts';
import type { CorsSettings } from './http/cors.ts';
import { jsonRpcHandler } from './http/jsonrpc.ts';
import { createRoutes } from './http/routes.ts';
import { type Agent, agentOf } from './langgraph/agent.ts';
import { createCustomExecutor } from './langgraph/custom-agent.ts';
import { createGraphExecutor } from './langgraph/executor.ts';
import { readAllowedTools } from './langgraph/tool-calls.ts';
import { openSqliteStore } from './store/sqlite/open.ts';
import { VERSION } from './version.ts';

export interface ParleyOptions {
  /** Agents by graph id: anything an entry of `langgraph.json` may export. */
  graphs: { [graphId: string]: unknown };
  descriptions?: { [graphId: string]: string };
  /** `a2a` of a `langgraph.json`. */
  a2a?: unknown;
  /** The same as `loadConfig` has read it; wins. */
  settings?: Settings;
  http?: { disable_a2a?: boolean; cors?: CorsSettings };
  /** SQLite file of tasks, events and threads; `:memory:` keeps nothing. */
  database?: string;
  env?: { [name: string]: string | undefined };
  logger?: Logger;
  /** Milliseconds since 1970. */
  now?: () => number;
}

export interface Parley {
  /** A web-standard handler, to mount in an application of one's own. */
  fetch(request: Request): Response | Promise<Response>;
  listen(address: { port: number; host: string }): Promise<{ url: string; port: number }>;
  /** Stops taking requests, lets runs finish for up to `drainMs`, closes the store. */
  close(drainMs?: number): Promise<void>;
  assistants: readonly { id: string; graphId: string; name: string }[];
}

const LEASE_MS = 10_000;
const POLL_MS = 1_000;
const PING_MS = 15_000;
const STALL_MS = 30_000;
const CANCEL_GRACE_MS = 1_000;
const DRAIN_MS = 5_000;

/** The composition root: the one place that knows every part. */
export async function createParley(options: ParleyOptions): Promise<Parley> {
  const a2a: Settings = options.settings ?? settingsSchema.parse(options.a2a ?? {});
  const env = options.env ?? {};
  const logger = options.logger ?? pino({ level: 'warn' });
  const assistants = createAssistants(await readAgents(options), a2a.assistants);
  const store = await openStore(options);
  await store.reap(true);
  const wake = createLocalWake();
  const executors = createExecutors(assistants, env);
  const worker = startWorker({
    store,
    wake,
    logger,
    newId: uuidV7,
    executor: executors,
    name: `parley-${process.pid}`,
    concurrency: a2a.concurrency,
    leaseMs: LEASE_MS,
    runDeadlineMs: a2a.runDeadline,
    pollMs: POLL_MS,
    cancelGraceMs: CANCEL_GRACE_MS,
  });
  const operations = createOperations({
    store,
    wake,
    maxHistoryLength: a2a.maxHistoryLength,
    queuePerContext: a2a.queuePerContext,
    streamsTokens: (assistantId) => assistants.find(assistantId)?.settings.streamTokens === true,
    pollMs: POLL_MS,
  });
  const codecs = [codecV1_0(), codecV0_3({ full: a2a.v03 === 'full' })];
  const defaultAssistant = env.DEFAULT_A2A_ASSISTANT_ID;
  const app = createRoutes(
    {
      jsonRpc: jsonRpcHandler({
        operations,
        codecs,
        assistant: async (id) => assistants.find(id),
        strictVersion: a2a.strictVersion,
        bodyLimit: a2a.bodyLimit,
        maxParts: a2a.maxParts,
        maxDepth: a2a.maxDepth,
        pingMs: PING_MS,
        stallMs: STALL_MS,
        logger,
        newId: uuidV7,
      }),
      card: cardHandler({
        assistants,
        codecs,
        cardWithoutVersion: a2a.cardWithoutVersion,
        ...(a2a.publicUrl === undefined ? {} : { publicUrl: a2a.publicUrl }),
        trustProxy: a2a.trustProxy,
        version: VERSION,
        ...(defaultAssistant === undefined ? {} : { defaultAssistant }),
        startedAt: new Date(store.now()),
      }),
    },
    {
      a2a: options.http?.disable_a2a !== true,
      ...(options.http?.cors ? { cors: options.http.cors } : {}),
      logger,
    },
  );
  let server: ReturnType<typeof serve> | undefined;
  return {
    fetch: (request) => app.fetch(request),
    listen: ({ port, host }) =>
      new Promise((resolve, reject) => {
        server = serve({ fetch: app.fetch, port, hostname: host }, (address) => {
          const shown = host.includes(':') ? `[${host}]` : host;
          resolve({ url: `http://${shown}:${address.port}`, port: address.port });
        });
        server.once('error', reject);
      }),
    close: async (drainMs = DRAIN_MS) => {
      const closed = new Promise<void>((resolve) => {
        if (server) server.close(() => resolve());
        else resolve();
      });
      await worker.close(drainMs);
      if (server && 'closeAllConnections' in server) server.closeAllConnections();
      await closed;
      await store.close();
    },
    assistants: assistants.list().map(({ id, graphId, name }) => ({ id, graphId, name })),
  };
}

async function readAgents(
  options: ParleyOptions,
): Promise<Map<string, { agent: Agent; description?: string }>> {
  const agents = new Map<string, { agent: Agent; description?: string }>();
  for (const [graphId, exported] of Object.entries(options.graphs)) {
    const agent = await agentOf(exported);
    if (!agent) throw new TypeError(`graphs.${graphId} is not an agent`);
    const description = options.descriptions?.[graphId];
    agents.set(graphId, { agent, ...(description === undefined ? {} : { description }) });
  }
  return agents;
}

async function openStore(options: ParleyOptions): Promise<Store> {
  const file = options.database ?? ':memory:';
  if (file !== ':memory:') mkdirSync(dirname(file), { recursive: true });
  return openSqliteStore({ file, ...(options.now ? { now: options.now } : {}) });
}

function createExecutors(
  assistants: Assistants,
  env: { [name: string]: string | undefined },
): (assistantId: string) => AgentExecutor | undefined {
  const allowedTools = readAllowedTools(env.A2A_ALLOWED_TOOL_CALL_RESULTS);
  const made = new WeakMap<ServedAssistant, AgentExecutor>();
  return (assistantId) => {
    const assistant = assistants.find(assistantId);
    if (!assistant) return undefined;
    const { agent } = assistant;
    const executor =
      made.get(assistant) ??
      (agent.kind === 'custom'
        ? createCustomExecutor(assistant, agent.agent)
        : createGraphExecutor({ assistant, graph: agent.make, allowedTools }));
    made.set(assistant, executor);
    return executor;
  };
}
