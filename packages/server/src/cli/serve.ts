import { type Config, loadConfig } from '../config/load-config.ts';
import { createServer, type Parley, type ServerOptions } from '../create-server.ts';
import { loadAgents } from '../langgraph/load-agents.ts';
import { hearModules } from '../langgraph/load-export.ts';
import { loadStore } from '../langgraph/load-store.ts';
import { announce, reachable } from './announce.ts';
import { assertMayBind } from './bind-address.ts';
import { CliError, EXIT, type ExitCode } from './exit.ts';
import type { Io } from './io.ts';
import { createLogger, type LogForm } from './logger.ts';
import { databaseOf, type PlaceOptionValues } from './options.ts';
import { stopSignal } from './stop-signal.ts';
import { hearStrayErrors } from './stray-errors.ts';

export interface ServeOptions extends PlaceOptionValues {
  port: number;
  host: string;
  allowUnauthenticated: boolean;
  log: LogForm;
  logLevel: string;
  /** Seconds that runs get to finish when the server is told to stop. */
  drain: number;
}

/** What a server tells the process that has forked it: where it listens, and each module that it loads. */
export type ServerNews = { port: number } | { loaded: string };

/** Serves a `langgraph.json` until the process is told to stop. */
export async function serve(options: ServeOptions, io: Io): Promise<ExitCode> {
  const config = loadConfig(options.config);
  assertMayBind(options.host, options.allowUnauthenticated);
  // Variables of the environment win over those of the configuration.
  for (const [name, value] of Object.entries(config.env)) io.env[name] ??= value;
  const stop = stopSignal();
  try {
    await serveUntil(stop.requested, config, options, io);
  } finally {
    stop.dispose();
  }
  return EXIT.ok;
}

async function serveUntil(
  stop: Promise<unknown>,
  config: Config,
  options: ServeOptions,
  io: Io,
): Promise<void> {
  const logger = createLogger(io, options.log, options.logLevel);
  const stopHearing = hearStrayErrors(logger);
  const tell = (news: ServerNews): void => void process.send?.(news);
  hearModules((loaded) => tell({ loaded }));
  const parley = await create({
    agents: await loadAgents(config),
    settings: config.a2a,
    http: config.http,
    database: databaseOf(options),
    memory: await loadStore(config),
    env: io.env,
    logger,
  });
  try {
    const { url, port } = await listen(parley, options);
    // Agents that call each other find their own server here.
    io.env.PARLEY_URL ??= reachable(config.a2a.publicUrl ?? url);
    announce({ url, config, parley, log: options.log, logger, io });
    tell({ port });
    logger.debug({ reason: await stop }, 'stopping');
  } finally {
    await parley.close(options.drain * 1_000);
    stopHearing();
  }
}

async function create(options: ServerOptions): Promise<Parley> {
  try {
    return await createServer(options);
  } catch (cause) {
    const { message } = cause as Error;
    const { database } = options;
    const where = message.includes(database) ? '' : `${database}: `;
    throw new CliError(EXIT.failed, `cannot start: ${where}${message}`, { cause });
  }
}

async function listen(parley: Parley, { port, host }: ServeOptions): Promise<{ url: string; port: number }> {
  try {
    return await parley.listen({ port, host });
  } catch (cause) {
    const { code, message } = cause as NodeJS.ErrnoException;
    const problems: { [code: string]: string } = {
      EADDRINUSE: `port ${port} of ${host} is in use; choose another with --port`,
      EACCES: `port ${port} of ${host} may not be opened by this user; choose another with --port`,
      EADDRNOTAVAIL: `${host} is no address of this machine`,
      ENOTFOUND: `${host} is no address of this machine`,
    };
    throw new CliError(EXIT.failed, problems[code ?? ''] ?? message, { cause });
  }
}
