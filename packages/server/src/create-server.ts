import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { serve } from '@hono/node-server';
import { codec as codecV0_3 } from '@parley/protocol/v0_3';
import { codec as codecV1_0 } from '@parley/protocol/v1_0';
import type { Logger } from 'pino';
import { v7 as uuidV7 } from 'uuid';
import { type Assistants, createAssistants, type ServedAssistant } from './assistants/assistants.ts';
import type { Settings } from './config/settings.ts';
import { createLocalWake } from './engine/local-wake.ts';
import { createOperations } from './engine/operations.ts';
import type { AgentExecutor, Store } from './engine/ports.ts';
import { startWorker } from './engine/worker.ts';
import { cardHandler } from './http/card-routes.ts';
import type { CorsSettings } from './http/cors.ts';
import { jsonRpcHandler } from './http/jsonrpc.ts';
import { createRoutes } from './http/routes.ts';
import type { Agent } from './langgraph/agent.ts';
import { createCustomExecutor } from './langgraph/custom-agent.ts';
import { createGraphExecutor } from './langgraph/executor.ts';
import { readAllowedTools } from './langgraph/tool-calls.ts';
import { openSqliteStore } from './store/sqlite/open.ts';
import { VERSION } from './version.ts';

export interface ServedAgent {
  agent: Agent;
  description?: string;
}

export interface ServerOptions {
  /** By graph id. */
  agents: ReadonlyMap<string, ServedAgent>;
  settings: Settings;
  http: { disable_a2a?: boolean; cors?: CorsSettings };
  /** SQLite file of tasks, events and threads; `:memory:` keeps nothing. */
  database: string;
  env: { [name: string]: string | undefined };
  logger: Logger;
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
export async function createServer(options: ServerOptions): Promise<Parley> {
  const { settings, env, logger } = options;
  const assistants = createAssistants(options.agents, settings.assistants);
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
    concurrency: settings.concurrency,
    leaseMs: LEASE_MS,
    runDeadlineMs: settings.runDeadline,
    pollMs: POLL_MS,
    cancelGraceMs: CANCEL_GRACE_MS,
  });
  const operations = createOperations({
    store,
    wake,
    maxHistoryLength: settings.maxHistoryLength,
    queuePerContext: settings.queuePerContext,
    streamsTokens: (assistantId) => assistants.find(assistantId)?.settings.streamTokens === true,
    pollMs: POLL_MS,
    worker,
  });
  const codecs = [codecV1_0(), codecV0_3({ full: settings.v03 === 'full' })];
  const defaultAssistant = env.DEFAULT_A2A_ASSISTANT_ID;
  const app = createRoutes(
    {
      jsonRpc: jsonRpcHandler({
        operations,
        codecs,
        assistant: async (id) => assistants.find(id),
        strictVersion: settings.strictVersion,
        bodyLimit: settings.bodyLimit,
        maxParts: settings.maxParts,
        maxDepth: settings.maxDepth,
        pingMs: PING_MS,
        stallMs: STALL_MS,
        logger,
        newId: uuidV7,
      }),
      card: cardHandler({
        assistants,
        codecs,
        cardWithoutVersion: settings.cardWithoutVersion,
        ...(settings.publicUrl === undefined ? {} : { publicUrl: settings.publicUrl }),
        trustProxy: settings.trustProxy,
        version: VERSION,
        ...(defaultAssistant === undefined ? {} : { defaultAssistant }),
        startedAt: new Date(store.now()),
      }),
    },
    {
      a2a: options.http.disable_a2a !== true,
      ...(options.http.cors ? { cors: options.http.cors } : {}),
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

async function openStore(options: ServerOptions): Promise<Store> {
  const file = options.database;
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
