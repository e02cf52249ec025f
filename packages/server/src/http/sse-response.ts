import type { ReadableStreamDefaultController, UnderlyingSource } from 'node:stream/web';
import { ssePing, sseRetry } from '@parley/protocol';

export interface SseOptions {
  /** Text of ready frames; what it throws is given to `failed`. */
  frames: AsyncIterable<string>;
  /** The frame that ends a stream which broke. */
  failed(error: unknown): string;
  /** The stream is over: it ended, or the client hung up or stalled. */
  closed(): void;
  /** Aborted when the server stops: cuts the stream off. */
  closing: AbortSignal;
  /** A reader that waits for so long is told that the stream lives. */
  pingMs: number;
  /** A reader that takes nothing for so long is cut off; it can come back with `Last-Event-ID`. */
  stallMs: number;
  headers?: { [name: string]: string };
}

const HEADERS = {
  'content-type': 'text/event-stream',
  'cache-control': 'no-cache, no-transform',
  'x-accel-buffering': 'no',
};

/** A stream that is pulled by its reader: nothing is made for a reader that does not read. */
export function sseResponse(options: SseOptions): Response {
  const body = new ReadableStream<Uint8Array>(pulledFrames(options), { highWaterMark: 0 });
  return new Response(body, { headers: { ...HEADERS, ...options.headers } });
}

/** How soon a client may come back after the server has stopped. */
const RETRY_MS = 1_000;

/** What is written last needs this long to leave. */
const LEAVE_MS = 20;

type Arrived = { result: IteratorResult<string> } | { error: unknown };

function pulledFrames(options: SseOptions): UnderlyingSource<Uint8Array> {
  const { pingMs, stallMs, closing } = options;
  const frames = options.frames[Symbol.asyncIterator]();
  const encoder = new TextEncoder();
  let controller: ReadableStreamDefaultController<Uint8Array>;
  /** Ends the pull of a reader that waits. */
  let wanted: (() => void) | undefined;
  let asked = false;
  let arrived: Arrived | undefined;
  let over = false;
  let leaving: NodeJS.Timeout | undefined;
  let sentAt = performance.now();

  const end = (): void => {
    over = true;
    clearInterval(watch);
    clearTimeout(leaving);
    closing.removeEventListener('abort', onClosing);
    options.closed();
  };
  const abandon = async (): Promise<void> => {
    end();
    // Its error, if any, has nobody left to go to.
    await frames.return?.().catch(() => {});
  };
  const cutOff = (why: string): void => {
    void abandon();
    const error = new Error(why);
    // The HTTP server prints it; where it was made says nothing.
    error.stack = `${error}`;
    controller.error(error);
  };
  /** A clean end would look like the end of the task. */
  const onClosing = (): void => {
    if (wanted) send(sseRetry(RETRY_MS));
    leaving = setTimeout(cutOff, LEAVE_MS, 'the server is stopping');
  };
  const send = (text: string): void => {
    controller.enqueue(encoder.encode(text));
    sentAt = performance.now();
    const taken = wanted;
    wanted = undefined;
    taken?.();
  };
  /** Hands over what has arrived to a reader that waits for it. */
  const deliver = (): void => {
    if (!wanted || !arrived || over) return;
    const now = arrived;
    arrived = undefined;
    asked = false;
    if ('result' in now && now.result.done !== true) {
      send(now.result.value);
      return;
    }
    const finish = wanted;
    if ('error' in now) send(options.failed(now.error));
    end();
    controller.close();
    finish();
  };
  const take = (what: Arrived): void => {
    arrived = what;
    deliver();
  };
  // One timer a stream, none a chunk.
  const watch = setInterval(
    () => {
      const quiet = performance.now() - sentAt;
      if (wanted && quiet >= pingMs) send(ssePing());
      else if (!wanted && quiet >= stallMs) cutOff('the reader stalled');
    },
    Math.max(1, Math.min(pingMs, stallMs) / 3),
  );

  return {
    start: (given) => {
      controller = given;
      closing.addEventListener('abort', onClosing);
      if (closing.aborted) onClosing();
    },
    pull: () =>
      new Promise<void>((resolve) => {
        wanted = resolve;
        if (arrived) return deliver();
        if (asked) return;
        asked = true;
        frames.next().then(
          (result) => take({ result }),
          (error: unknown) => take({ error }),
        );
      }),
    cancel: abandon,
  };
}
