import { type JsonValue, normaliseBase64, type Part } from '@parley/protocol';

/** A LangChain standard content block, as far as A2A has a word for it. */
type Block = { [key: string]: unknown };

const MEDIA_KINDS = ['image', 'audio', 'video'] as const;

/**
 * The content of the one HumanMessage a message becomes: a string, or blocks in part order if it carries files. Data
 * parts are left out, unless `inlineData`: then they follow the text as compact JSON, one per line.
 */
export function contentOfParts(parts: readonly Part[], inlineData: boolean): string | Block[] {
  const data = inlineData ? parts.flatMap((part) => ('data' in part ? [JSON.stringify(part.data)] : [])) : [];
  if (!parts.some((part) => 'raw' in part || 'url' in part)) {
    const text = parts.map((part) => ('text' in part ? part.text : '')).join('');
    return [...(text === '' ? [] : [text]), ...data].join('\n');
  }
  const blocks = parts.flatMap((part) => {
    if ('text' in part) return [{ type: 'text', text: part.text }];
    return 'data' in part ? [] : [fileBlock(part)];
  });
  return data.length === 0 ? blocks : [...blocks, { type: 'text', text: data.join('\n') }];
}

function fileBlock(part: Exclude<Part, { text: string } | { data: JsonValue }>): Block {
  const mimeType = part.mediaType;
  const kind = MEDIA_KINDS.find((media) => mimeType?.startsWith(`${media}/`)) ?? 'file';
  return {
    type: kind,
    ...(mimeType === undefined ? {} : { mimeType }),
    ...('raw' in part ? { data: part.raw } : { url: part.url }),
    ...(part.filename === undefined ? {} : { metadata: { filename: part.filename } }),
  };
}

/** A2A parts of a message's content: its text in one part, then its files. Other blocks (reasoning, calls) are not output. */
export function partsOfContent(content: unknown): Part[] {
  if (typeof content === 'string') return content === '' ? [] : [{ text: content }];
  if (!Array.isArray(content)) return [];
  const text = textOfContent(content);
  return [...(text === '' ? [] : [{ text }]), ...content.flatMap((block) => filePart(block) ?? [])];
}

export function textOfContent(content: unknown): string {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return '';
  return content
    .map((block) => (isBlock(block) && block.type === 'text' ? (asString(block.text) ?? '') : ''))
    .join('');
}

function filePart(block: unknown): Part | undefined {
  if (!isBlock(block)) return undefined;
  if (block.type === 'image_url') return imageUrlPart(block.image_url);
  if (![...MEDIA_KINDS, 'file', 'text-plain'].includes(block.type as string)) return undefined;
  const metadata = isBlock(block.metadata) ? block.metadata : {};
  const mediaType = asString(block.mimeType) ?? asString(block.mime_type);
  const filename =
    asString(metadata.filename) ??
    asString(metadata.name) ??
    asString(block.filename) ??
    asString(block.title);
  const about = {
    ...(mediaType === undefined ? {} : { mediaType }),
    ...(filename === undefined ? {} : { filename }),
  };
  const raw = base64Of(block.data);
  if (raw !== undefined) return { raw, ...about };
  const url = asString(block.url);
  return url === undefined ? undefined : (dataUrlPart(url, about) ?? { url, ...about });
}

/** The OpenAI form `{image_url: {url}}`, whose URL may be a data URL. */
function imageUrlPart(image: unknown): Part | undefined {
  const url = asString(isBlock(image) ? image.url : image);
  return url === undefined ? undefined : (dataUrlPart(url, {}) ?? { url });
}

function dataUrlPart(url: string, about: { mediaType?: string; filename?: string }): Part | undefined {
  const match = /^data:([^;,]*)(?:;[^;,]*)*;base64,(.*)$/s.exec(url);
  if (!match) return undefined;
  const raw = normaliseBase64(match[2] ?? '');
  return raw === undefined ? undefined : { raw, ...(match[1] ? { mediaType: match[1] } : {}), ...about };
}

/** Bytes, any base64, or text that is none, as standard base64: a file that an agent made is never changed or lost. */
function base64Of(data: unknown): string | undefined {
  if (data instanceof Uint8Array) return Buffer.from(data).toString('base64');
  if (typeof data !== 'string') return undefined;
  return normaliseBase64(data) ?? Buffer.from(data).toString('base64');
}

/** Any value of a graph as JSON; what JSON cannot say is left out. */
export function jsonOf(value: unknown): JsonValue {
  try {
    const text = JSON.stringify(value);
    return text === undefined ? null : (JSON.parse(text) as JsonValue);
  } catch {
    return String(value);
  }
}

export function isBlock(value: unknown): value is { [key: string]: unknown } {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function asString(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}
