import type { AgentCard } from '@parley/protocol';
import type { Config } from '../../config/load-config.ts';
import { isLoopback } from '../bind-address.ts';
import { fetchCard } from '../client.ts';
import { type Finding, findingsOf, messageOf } from './finding.ts';

const { ok, warning, problem } = findingsOf('card');

interface Place {
  host: string;
  port: number;
}

/** What the public URL says, and whether the card of the first graph can be fetched. */
export async function checkCard(
  config: Config,
  { host, port }: Place,
  { timeoutMs, serverRuns }: { timeoutMs: number; serverRuns: boolean },
): Promise<Finding[]> {
  if (config.http.disable_a2a) return [ok('A2A is off: http.disable_a2a is true')];
  const { publicUrl } = config.a2a;
  const told = publicUrl === undefined ? [] : checkPublicUrl(publicUrl, host);
  if (told.some(({ level }) => level === 'problem')) return told;
  const [graphId = ''] = Object.keys(config.graphs);
  const base = publicUrl ?? `http://${reachableHost(host)}:${port}`;
  if (!serverRuns && publicUrl === undefined)
    return [ok('no server has the database, so none is asked for its card')];
  const endpoint = `${base.replace(/\/$/, '')}/a2a/${encodeURIComponent(graphId)}`;
  const card = await withinTime(fetchCard(endpoint, {}), timeoutMs).catch((error: unknown) =>
    messageOf(error),
  );
  if (typeof card !== 'string') return [...told, checkSaid(endpoint, card as AgentCard)];
  const remedy =
    publicUrl === undefined
      ? 'name the address of the server that has the database with --host and --port'
      : 'see that a server runs and that a2a.publicUrl and the proxy lead to it';
  return [...told, (serverRuns ? problem : warning)(`the card cannot be fetched: ${card}`, remedy)];
}

function checkPublicUrl(publicUrl: string, host: string): Finding[] {
  const { hostname } = new URL(publicUrl);
  const name = hostname.replace(/^\[|\]$/g, '');
  const remedy = 'set it to the URL that clients use, or leave it out';
  if (name === '0.0.0.0' || name === '::') {
    return [problem(`a2a.publicUrl ${publicUrl} is an address that nobody can call`, remedy)];
  }
  if (isLoopback(name) && !isLoopback(host)) {
    const message = `a2a.publicUrl ${publicUrl} is this machine only, and the server listens on ${host}`;
    return [warning(message, remedy)];
  }
  return [];
}

/** Clients call what the card says, not where they found it. */
function checkSaid(endpoint: string, { supportedInterfaces }: AgentCard): Finding {
  const said = supportedInterfaces[0]?.url;
  if (said === endpoint) return ok(`the card at ${endpoint} names ${said}`);
  return warning(
    `the card at ${endpoint} names another address: ${said}`,
    'set a2a.publicUrl to the URL that clients use, or a2a.trustProxy behind a proxy that sends X-Forwarded-Host',
  );
}

function reachableHost(host: string): string {
  if (host === '0.0.0.0' || host === '::') return 'localhost';
  return host.includes(':') ? `[${host}]` : host;
}

function withinTime<T>(promise: Promise<T>, ms: number): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error(`no answer within ${ms / 1_000} seconds`)), ms);
    promise.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}
