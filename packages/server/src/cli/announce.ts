import type { Logger } from 'pino';
import type { Config } from '../config/load-config.ts';
import type { Parley } from '../create-server.ts';
import { commandLine } from './command-line.ts';
import type { Io } from './io.ts';
import type { LogForm } from './logger.ts';
import { createOut } from './out.ts';

/** Says where each agent answers, and what to try next. */
export function announce(served: {
  url: string;
  config: Config;
  parley: Parley;
  log: LogForm;
  logger: Logger;
  io: Io;
}): void {
  const { url, config, parley, log, logger, io } = served;
  const base = reachable(url);
  const off = config.http.disable_a2a;
  const agents = parley.assistants.map(({ graphId }) => ({
    graph: graphId,
    url: `${base}/a2a/${encodeURIComponent(graphId)}`,
  }));
  const [first] = agents;
  const next = off || !first ? undefined : commandLine(io.env, 'send', first.url, 'Hello!', '--stream');
  if (log === 'json') {
    logger.info(
      { url: base, agents: off ? [] : agents, ...(next === undefined ? {} : { next }) },
      'listening',
    );
    return;
  }
  const out = createOut(io, { json: false });
  out.line(`Parley listens on ${base}`, 'bold');
  if (off) out.line('A2A is off: http.disable_a2a is true');
  else {
    const width = Math.max(...agents.map(({ graph }) => graph.length));
    for (const agent of agents) out.line(`  ${agent.graph.padEnd(width)}  ${agent.url}`);
  }
  if (next !== undefined) out.line(`try: ${next}`);
}

/** An address that means "any" is none that a client could call. */
export function reachable(url: string): string {
  return url.replace(/\/$/, '').replace(/^http:\/\/(?:0\.0\.0\.0|\[::\]):/, 'http://localhost:');
}
