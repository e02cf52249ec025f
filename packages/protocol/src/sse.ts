import { ProtocolMisuseError } from './misuse.ts';

export interface SseFields {
  id?: string | number;
  event?: string;
  /** One line. */
  data: string;
}

function line(name: string, value: string): string {
  if (/[\r\n]/.test(value)) {
    throw new ProtocolMisuseError('SSE_LINE_BREAK', `line break in the SSE field "${name}"`);
  }
  return `${name}: ${value}\n`;
}

/**
 * One event as text. `data` is JSON: U+2028 and U+2029, which some line readers split at, go out as JSON escapes.
 * Throws on a line break, which would end the field and let data forge another one.
 */
export function sseEvent({ id, event, data }: SseFields): string {
  const safe = /[\u2028\u2029]/.test(data)
    ? data.replaceAll('\u2028', '\\u2028').replaceAll('\u2029', '\\u2029')
    : data;
  return `${id === undefined ? '' : line('id', String(id))}${event === undefined ? '' : line('event', event)}${line('data', safe)}\n`;
}

/** Asks a client whose stream breaks off to come back after `ms`. */
export function sseRetry(ms: number): string {
  return `retry: ${ms}\n\n`;
}

/** A comment: keeps proxies and clients from giving up on a quiet stream. */
export function ssePing(): string {
  return ': ping\n\n';
}
