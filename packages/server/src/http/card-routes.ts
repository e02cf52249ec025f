import { createHash } from 'node:crypto';
import { type AgentCard, type Codec, mergedCard, parseVersion, VERSION_HEADER } from '@parley/protocol';
import type { Assistants, ServedAssistant } from '../assistants/assistants.ts';
import { agentCard } from '../cards/agent-card.ts';
import { endpointUrl } from './public-url.ts';

export interface CardOptions {
  assistants: Assistants;
  /** By version of the `A2A-Version` header. */
  codecs: readonly Codec[];
  cardWithoutVersion: 'merged' | '1.0';
  publicUrl?: string;
  trustProxy: boolean;
  version: string;
  /** The assistant a request without `assistant_id` means, when there are several. */
  defaultAssistant?: string;
  startedAt: Date;
}

const MAX_AGE_S = 60;

/** Agent cards (A2A 1.0, sections 8.2 and 8.6), in the shape that the request's `A2A-Version` asks for. */
export function cardHandler(options: CardOptions): (request: Request, assistantId?: string) => Response {
  return (request, assistantId) => {
    const asked =
      assistantId ?? new URL(request.url).searchParams.get('assistant_id') ?? options.defaultAssistant;
    const found = asked === undefined ? only(options.assistants.list()) : options.assistants.find(asked);
    if (!found) return unknownAssistant(options.assistants, asked);
    const url = endpointUrl(request, found.graphId, options);
    const card = agentCard(found, found.card, url, options.version);
    return cardResponse(request, cardBody(options, request, card), options.startedAt);
  };
}

function only(assistants: ServedAssistant[]): ServedAssistant | undefined {
  return assistants.length === 1 ? assistants[0] : undefined;
}

function cardBody(options: CardOptions, request: Request, card: AgentCard): string {
  const version = readVersion(request) ?? (options.cardWithoutVersion === '1.0' ? '1.0' : undefined);
  const v1 = version === '1.0' ? options.codecs.find((codec) => codec.version === '1.0') : undefined;
  return JSON.stringify(v1?.encodeCard(card) ?? mergedCard(card));
}

/** A card is given to clients of any version: an unknown one gets the form that both understand. */
function readVersion(request: Request): string | undefined {
  try {
    const query = new URL(request.url).searchParams.get(VERSION_HEADER);
    return parseVersion(request.headers.get(VERSION_HEADER)) ?? parseVersion(query);
  } catch {
    return undefined;
  }
}

function cardResponse(request: Request, body: string, startedAt: Date): Response {
  const etag = `"${createHash('sha256').update(body).digest('base64url').slice(0, 22)}"`;
  const headers = {
    'content-type': 'application/json',
    'cache-control': `public, max-age=${MAX_AGE_S}`,
    vary: VERSION_HEADER,
    'last-modified': startedAt.toUTCString(),
    etag,
  };
  const matches = (request.headers.get('if-none-match') ?? '')
    .split(',')
    .map((tag) => tag.trim().replace(/^W\//, ''));
  if (matches.includes(etag) || matches.includes('*')) return new Response(null, { status: 304, headers });
  return new Response(request.method === 'HEAD' ? null : body, { headers });
}

function unknownAssistant(assistants: Assistants, asked: string | undefined): Response {
  const ids = assistants.list().map(({ graphId }) => graphId);
  const message =
    asked === undefined
      ? 'several assistants are served: name one with ?assistant_id='
      : `there is no assistant '${asked.slice(0, 100)}'`;
  return Response.json({ error: { message, assistants: ids } }, { status: asked === undefined ? 400 : 404 });
}
