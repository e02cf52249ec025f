import { createHash } from 'node:crypto';
import { type AgentCard, type Codec, mergedCard, parseVersion, VERSION_HEADER } from '@parley/protocol';
import type { Assistants } from '../assistants/assistants.ts';
import { ANONYMOUS } from '../auth/principal.ts';
import { agentCard } from '../cards/agent-card.ts';
import { endpointUrl } from './public-url.ts';

export interface CardOptions {
  assistants: Assistants;
  /** By version of the `A2A-Version` header. */
  codecs: readonly Codec[];
  cardWithoutVersion: 'merged' | '1.0';
  publicUrl?: string;
  trustProxy: boolean;
  mountPrefix?: string;
  version: string;
  /** The assistant a request without `assistant_id` means, when there are several. */
  defaultAssistant?: string;
  startedAt: Date;
}

const MAX_AGE_S = 60;

/** Agent cards (A2A 1.0, sections 8.2 and 8.6), in the shape that the request's `A2A-Version` asks for. */
export function cardHandler(
  options: CardOptions,
): (request: Request, assistantId?: string) => Promise<Response> {
  return async (request, assistantId) => {
    const { assistants, startedAt } = options;
    const asked =
      assistantId ??
      new URL(request.url).searchParams.get('assistant_id') ??
      options.defaultAssistant ??
      only(assistants.graphIds());
    const found = asked === undefined ? undefined : await assistants.find(asked, ANONYMOUS.id);
    if (!found) return unknownAssistant(assistants, asked);
    const url = endpointUrl(request, found.pathName, options);
    const card = agentCard(found, found.card, url, options.version);
    const changedAt = new Date(Math.max(startedAt.getTime(), found.updatedAt));
    return cardResponse(request, cardBody(options, request, card), changedAt);
  };
}

function only(ids: string[]): string | undefined {
  return ids.length === 1 ? ids[0] : undefined;
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

function cardResponse(request: Request, body: string, changedAt: Date): Response {
  const etag = `"${createHash('sha256').update(body).digest('base64url').slice(0, 22)}"`;
  const headers = {
    'content-type': 'application/json',
    'cache-control': `public, max-age=${MAX_AGE_S}`,
    vary: VERSION_HEADER,
    'last-modified': changedAt.toUTCString(),
    etag,
  };
  const matches = (request.headers.get('if-none-match') ?? '')
    .split(',')
    .map((tag) => tag.trim().replace(/^W\//, ''));
  if (matches.includes(etag) || matches.includes('*')) return new Response(null, { status: 304, headers });
  return new Response(request.method === 'HEAD' ? null : body, { headers });
}

function unknownAssistant(assistants: Assistants, asked: string | undefined): Response {
  const ids = assistants.graphIds();
  const message =
    asked === undefined
      ? 'several assistants are served: name one with ?assistant_id='
      : `there is no assistant '${asked.slice(0, 100)}'`;
  return Response.json({ error: { message, assistants: ids } }, { status: asked === undefined ? 400 : 404 });
}
