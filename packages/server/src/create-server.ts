import { serve } from '@hono/node-server';
import type { Codec } from '@parley/protocol';
import { codec as codecV0_3 } from '@parley/protocol/v0_3';
import { codec as codecV1_0 } from '@parley/protocol/v1_0';
import type { Logger } from 'pino';
import { type Assistants, openAssistants } from './assistants/assistants.ts';
import { createAssistantManager } from './assistants/manage-assistants.ts';
import type { ServedAssistant } from './assistants/serve-assistant.ts';
import type { HttpSettings, Settings } from './config/settings.ts';
import type { StoreSettings } from './config/store-settings.ts';
import { type Housekeeping, startHousekeeping } from './engine/housekeeping.ts';
import { createLocalWake } from './engine/local-wake.ts';
import { createOperations } from './engine/operations.ts';
import type { AgentExecutor } from './engine/ports/executor.ts';
import type { Wake } from './engine/ports/wake.ts';
import { startWorker, type Worker } from './engine/worker.ts';
import { assistantHandlers } from './http/assistants/handlers.ts';
import { cardHandler } from './http/card-routes.ts';
import { countInFlight, type InFlight } from './http/in-flight.ts';
import { jsonRpcHandler, stoppingResponse } from './http/jsonrpc.ts';
import { createRoutes, type Handlers } from './http/routes.ts';
import { threadHandlers } from './http/threads/handlers.ts';
import { itemSettings } from './item-settings.ts';
import type { Agent } from './langgraph/agent.ts';
import { systemAssistantId } from './langgraph/assistant.ts';
import { createCustomExecutor } from './langgraph/custom-agent.ts';
import { createGraphExecutor } from './langgraph/executor.ts';
import { lackOfCheckpointer } from './langgraph/no-checkpointer.ts';
import { readAllowedTools } from './langgraph/tool-calls.ts';
import { newId } from './store/new-id.ts';
import { openSqliteStore, type SqliteStore } from './store/sqlite/open.ts';
import { createThreads } from './threads/threads.ts';
import { VERSION } from './version.ts';

export interface ServedAgent {
  agent: Agent;
  description?: string;
}

export interface ServerOptions {
  /** By graph id. */
  agents: ReadonlyMap<string, ServedAgent>;
  settings: Settings;
  http: HttpSettings;
  /** SQLite file of tasks, events and threads; `:memory:` keeps nothing. */
  database: string;
  /** Of LangGraph's long-term memory. */
  memory?: StoreSettings;
  env: { [name: string]: string | undefined };
  logger: Logger;
  /** Milliseconds since 1970. */
  now?: () => number;
  /** For tests: what readers of streams are given, and the channel that their listeners hang on. */
  timings?: Partial<StreamTimings>;
  wake?: Wake;
}

interface StreamTimings {
  pingMs: number;
  stallMs: number;
}

export interface Parley {
  /** A web-standard handler, to mount in an application of one's own. */
  fetch(request: Request): Response | Promise<Response>;
  listen(address: { port: number; host: string }): Promise<{ url: string; port: number }>;
  /** Refuses requests, lets runs finish for up to `drainMs`, cuts off who still waits, closes the store. Once. */
  close(drainMs?: number): Promise<void>;
  /** Those that every graph has by itself. */
  assistants: readonly { id: string; graphId: string }[];
}

const LEASE_MS = 10_000;
const POLL_MS = 1_000;
const STREAM_TIMINGS: StreamTimings = { pingMs: 15_000, stallMs: 30_000 };
const CANCEL_GRACE_MS = 1_000;
const CANCEL_TURN_MS = 5_000;
const DRAIN_MS = 5_000;
/** Streams get this long to write the end of a task that has just ended. */
const FLUSH_MS = 200;
/** Requests that were cut off get this long to be answered, and answers to leave. */
const ANSWER_MS = 1_000;

/** The composition root: the one place that knows every part. */
export async function createServer(options: ServerOptions): Promise<Parley> {
  const store = openSqliteStore({
    file: options.database,
    items: itemSettings(options.memory ?? {}),
    ...(options.now ? { now: options.now } : {}),
  });
  let worker: Worker | undefined;
  try {
    if (store.damage !== undefined) options.logger.warn(`${store.damage}; a power cut or a disk may do this`);
    await store.reap(true);
    for (const [graphId, { agent }] of options.agents) {
      const lacks = lackOfCheckpointer(agent);
      if (lacks !== undefined) options.logger.warn({ graphId }, `graph '${graphId}': ${lacks}`);
    }
    const assistants = await openAssistants(options.agents, options.settings.assistants, store.assistants);
    const parts = { options, assistants, store, wake: options.wake ?? createLocalWake() };
    worker = workerOf(parts);
    return parleyOf({ ...parts, worker, housekeeping: housekeepingOf(parts) });
  } catch (error) {
    await worker?.close(0);
    await store.close();
    throw error;
  }
}

interface Parts {
  options: ServerOptions;
  assistants: Assistants;
  store: SqliteStore;
  wake: Wake;
}

function workerOf({ options, assistants, store, wake }: Parts): Worker {
  return startWorker({
    store,
    wake,
    logger: options.logger,
    newId,
    executor: createExecutors(assistants, options.env),
    name: `parley-${process.pid}`,
    concurrency: options.settings.concurrency,
    leaseMs: LEASE_MS,
    runDeadlineMs: options.settings.runDeadline,
    pollMs: POLL_MS,
    cancelGraceMs: CANCEL_GRACE_MS,
    cancelTurnMs: CANCEL_TURN_MS,
  });
}

function housekeepingOf({ options, store, wake }: Parts): Housekeeping {
  const { pausedTtl, eventTtl, taskTtl } = options.settings;
  const times = { pausedTtlMs: pausedTtl, eventTtlMs: eventTtl, taskTtlMs: taskTtl };
  return startHousekeeping({ store, wake, logger: options.logger, newId, ...times });
}

function parleyOf(parts: Parts & { worker: Worker; housekeeping: Housekeeping }): Parley {
  const { assistants, store, worker, housekeeping } = parts;
  const inFlight = countInFlight();
  const codec = codecV1_0();
  const app = routesOf(parts, [codec, codecV0_3({ full: parts.options.settings.v03 === 'full' })], inFlight);
  let server: ReturnType<typeof serve> | undefined;
  let closed: Promise<void> | undefined;
  const answer = (request: Request): Response | Promise<Response> =>
    closed ? stoppingResponse(codec) : app.fetch(request);

  const close = async (drainMs: number): Promise<void> => {
    const disconnected = server && new Promise<void>((resolve) => server?.close(() => resolve()));
    await Promise.all([worker.close(drainMs), housekeeping.close()]);
    // Those whose task has ended are answered by themselves, the others with what there is.
    await inFlight.settled(FLUSH_MS);
    inFlight.close();
    await inFlight.settled(ANSWER_MS);
    if (server && disconnected) await disconnect(server, disconnected);
    await store.close();
  };
  return {
    fetch: answer,
    listen: ({ port, host }) =>
      new Promise((resolve, reject) => {
        server = serve({ fetch: answer, port, hostname: host }, (address) => {
          const shown = host.includes(':') ? `[${host}]` : host;
          const prefix = parts.options.http.mount_prefix ?? '';
          resolve({ url: `http://${shown}:${address.port}${prefix}`, port: address.port });
        });
        server.once('error', reject);
      }),
    close: (drainMs = DRAIN_MS) => {
      closed ??= close(drainMs);
      return closed;
    },
    assistants: assistants.graphIds().map((graphId) => ({ id: systemAssistantId(graphId), graphId })),
  };
}

/** Connections end when their answer is out; those that are not idle in time are cut. */
async function disconnect(server: ReturnType<typeof serve>, disconnected: Promise<void>): Promise<void> {
  if (!('closeIdleConnections' in server)) return;
  const http = server;
  http.closeIdleConnections();
  const idle = setInterval(() => http.closeIdleConnections(), 10);
  const late = setTimeout(() => http.closeAllConnections(), ANSWER_MS);
  await disconnected;
  clearInterval(idle);
  clearTimeout(late);
}

function routesOf(
  { options, assistants, store, wake, worker }: Parts & { worker: Worker },
  codecs: readonly Codec[],
  inFlight: InFlight,
): ReturnType<typeof createRoutes> {
  const { settings, logger } = options;
  const operations = createOperations({
    store,
    wake,
    maxHistoryLength: settings.maxHistoryLength,
    queuePerContext: settings.queuePerContext,
    settingsOf: assistants.settingsOf,
    pollMs: POLL_MS,
    worker,
  });
  const { disable_a2a, disable_assistants, disable_threads, mount_prefix, cors } = options.http;
  const mount = mount_prefix === undefined ? {} : { mountPrefix: mount_prefix };
  const defaultAssistant = options.env.DEFAULT_A2A_ASSISTANT_ID;
  const api = { bodyLimit: settings.bodyLimit, maxDepth: settings.maxDepth, inFlight, logger, newId };
  const a2a = {
    jsonRpc: jsonRpcHandler({
      ...api,
      operations,
      codecs,
      assistant: assistants.find,
      strictVersion: settings.strictVersion,
      maxParts: settings.maxParts,
      ...STREAM_TIMINGS,
      ...options.timings,
    }),
    card: cardHandler({
      assistants,
      codecs,
      cardWithoutVersion: settings.cardWithoutVersion,
      ...(settings.publicUrl === undefined ? {} : { publicUrl: settings.publicUrl }),
      trustProxy: settings.trustProxy,
      ...mount,
      version: VERSION,
      ...(defaultAssistant === undefined ? {} : { defaultAssistant }),
      startedAt: new Date(store.now()),
    }),
  };
  const manager = createAssistantManager({ assistants, store: store.assistants, wake, newId });
  const threads = createThreads({ assistants, store: store.threads, wake });
  const handlers: Handlers = {
    ...(disable_a2a ? {} : { a2a }),
    ...(disable_assistants ? {} : { assistants: assistantHandlers({ ...api, manager }) }),
    ...(disable_threads ? {} : { threads: threadHandlers({ ...api, threads }) }),
    info: () => ({
      version: VERSION,
      context: 'js',
      flags: { assistants: !disable_assistants, crons: false, langsmith: false },
    }),
  };
  return createRoutes(handlers, { ...(cors ? { cors } : {}), ...mount, logger });
}

function createExecutors(
  assistants: Assistants,
  env: { [name: string]: string | undefined },
): (assistantId: string) => Promise<AgentExecutor | undefined> {
  const allowedTools = readAllowedTools(env.A2A_ALLOWED_TOOL_CALL_RESULTS);
  const made = new WeakMap<ServedAssistant, AgentExecutor>();
  return async (assistantId) => {
    const assistant = await assistants.ofRun(assistantId);
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
