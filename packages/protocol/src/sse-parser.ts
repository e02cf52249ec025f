import { ProtocolMisuseError } from './misuse.ts';

export interface SseEvent {
  /** `message` unless the stream names another. */
  event: string;
  data: string;
  /** Last id seen on the stream, `''` before the first: what `Last-Event-ID` takes. */
  id: string;
}

export interface SseParserOptions {
  /** Length of one event in UTF-16 code units; a longer one throws `SSE_EVENT_TOO_LARGE`. Default 4 Mi. */
  maxEventSize?: number;
}

export interface SseParser {
  /** Takes the next piece of text, cut anywhere; answers the events that it completes. */
  push(chunk: string): SseEvent[];
  /** Milliseconds the server asks to wait before a reconnect. */
  readonly retry: number | undefined;
  readonly lastEventId: string;
}

/**
 * Event stream parser of the WHATWG HTML standard, section 9.2.6. An event without its closing blank line is dropped, as
 * the standard says: it may be cut.
 */
export function createSseParser({ maxEventSize = 4 * 1024 * 1024 }: SseParserOptions = {}): SseParser {
  let started = false;
  let afterCr = false;
  /** Start of a line whose end has not come yet. Never searched again: feeding single characters stays linear. */
  let partial = '';
  let event = '';
  let data: string[] = [];
  let dataSize = 0;
  let idBuffer = '';
  // Follows the buffer at the end of an event only: a reconnect after a cut must ask for the cut event again.
  let lastEventId = '';
  let retry: number | undefined;

  function measure(more: number): void {
    if (dataSize + more > maxEventSize) {
      throw new ProtocolMisuseError(
        'SSE_EVENT_TOO_LARGE',
        `SSE event longer than ${maxEventSize} characters`,
      );
    }
  }

  function field(name: string, value: string): void {
    if (name === 'data') {
      data.push(value);
      dataSize += value.length + 1;
    } else if (name === 'event') event = value;
    else if (name === 'id' && !value.includes('\0')) idBuffer = value;
    else if (name === 'retry' && /^\d+$/.test(value)) retry = Number(value);
  }

  function takeLine(text: string, out: SseEvent[]): void {
    if (text === '') {
      lastEventId = idBuffer;
      if (data.length > 0) out.push({ event: event || 'message', data: data.join('\n'), id: lastEventId });
      event = '';
      data = [];
      dataSize = 0;
      return;
    }
    const colon = text.indexOf(':');
    if (colon < 0) field(text, '');
    else if (colon > 0)
      field(text.slice(0, colon), text.slice(text[colon + 1] === ' ' ? colon + 2 : colon + 1));
  }

  function push(chunk: string): SseEvent[] {
    const out: SseEvent[] = [];
    if (chunk === '') return out;
    let start = 0;
    if (!started) {
      started = true;
      if (chunk.startsWith('\uFEFF')) start = 1;
    }
    if (afterCr && start < chunk.length) {
      if (chunk[start] === '\n') start += 1;
      afterCr = false;
    }
    const breaks = /\r\n|\r|\n/g;
    breaks.lastIndex = start;
    for (let found = breaks.exec(chunk); found !== null; found = breaks.exec(chunk)) {
      const text = partial + chunk.slice(start, found.index);
      partial = '';
      measure(text.length);
      takeLine(text, out);
      start = breaks.lastIndex;
      afterCr = start === chunk.length && found[0] === '\r';
    }
    partial += chunk.slice(start);
    measure(partial.length);
    return out;
  }

  return {
    push,
    get retry() {
      return retry;
    },
    get lastEventId() {
      return lastEventId;
    },
  };
}

/** Events of a stream of text. */
export async function* parseSse(
  chunks: AsyncIterable<string>,
  options?: SseParserOptions,
): AsyncGenerator<SseEvent> {
  const parser = createSseParser(options);
  for await (const chunk of chunks) yield* parser.push(chunk);
}
