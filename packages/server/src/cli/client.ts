import {
  type Client,
  ClientFactory,
  DefaultAgentCardResolver,
  JsonRpcTransportFactory,
} from '@a2a-js/sdk/client';
import { explain } from './client-error.ts';
import { CliError, EXIT } from './exit.ts';

export interface ClientOptions {
  header?: [string, string][];
}

/** The official client for the agent at a URL: its endpoint, the base of its card, or the card itself. */
export async function connect(url: string, options: ClientOptions): Promise<Client> {
  const legacyCompat = { enabled: true };
  const fetchImpl = fetchWith(options);
  const factory = new ClientFactory({
    transports: [new JsonRpcTransportFactory({ fetchImpl, legacyCompat })],
    cardResolver: new DefaultAgentCardResolver({ fetchImpl, legacyCompat }),
  });
  const card = await fetchCard(url, options);
  return factory
    .createFromAgentCard(card as Parameters<ClientFactory['createFromAgentCard']>[0])
    .catch((error) => {
      throw new CliError(
        EXIT.usage,
        `cannot use the card at ${cardUrl(url).href}: ${(error as Error).message}`,
      );
    });
}

/** The card as its server sends it. */
export async function fetchCard(url: string, options: ClientOptions): Promise<object> {
  const at = cardUrl(url);
  const response = await fetchWith(options)(at, { headers: { 'A2A-Version': '1.0' } }).catch(
    (error: unknown) => {
      throw explain(error, at.origin);
    },
  );
  const body: unknown = await response.json().catch(() => undefined);
  if (response.ok && typeof body === 'object' && body !== null) return body;
  const said = (body as { error?: { message?: unknown; assistants?: unknown } } | undefined)?.error;
  const why = typeof said?.message === 'string' ? said.message : `HTTP ${response.status}`;
  const others = Array.isArray(said?.assistants) ? `; it serves ${said.assistants.join(', ')}` : '';
  throw new CliError(EXIT.usage, `there is no agent card at ${at.href}: ${why}${others}`);
}

/** A card stands below the endpoint; the client itself would drop the endpoint's last path segment. */
function cardUrl(url: string): URL {
  if (!URL.canParse(url) || !/^https?:/.test(url)) {
    throw new CliError(EXIT.usage, `'${url}' is no URL; expected one such as http://127.0.0.1:2024/a2a/chat`);
  }
  const card = new URL(url);
  if (!card.pathname.endsWith('.json')) {
    card.pathname = `${card.pathname.replace(/\/+$/, '')}/.well-known/agent-card.json`;
  }
  return card;
}

function fetchWith({ header = [] }: ClientOptions): typeof fetch {
  if (header.length === 0) return fetch;
  return (input, init) => {
    const headers = new Headers(init?.headers);
    for (const [name, value] of header) headers.set(name, value);
    return fetch(input, { ...init, headers });
  };
}
