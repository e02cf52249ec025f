import { ssePing } from '@parley/protocol';

export interface SseOptions {
  /** Text of ready frames; what it throws is given to `failed`. */
  frames: AsyncIterable<string>;
  /** The frame that ends a stream which broke. */
  failed(error: unknown): string;
  /** The client hung up or stalled. */
  closed(): void;
  pingMs: number;
  /** A reader that takes nothing for so long is cut off; it can come back with `Last-Event-ID`. */
  stallMs: number;
  headers?: { [name: string]: string };
}

/** A stream that is pulled by its reader: nothing is made for a reader that does not read. */
export function sseResponse(options: SseOptions): Response {
  const frames = options.frames[Symbol.asyncIterator]();
  const encoder = new TextEncoder();
  let next: Promise<IteratorResult<string>> | undefined;
  let stall: NodeJS.Timeout | undefined;
  let canceled = false;

  const end = (): void => {
    clearTimeout(stall);
    options.closed();
  };
  const body = new ReadableStream<Uint8Array>(
    {
      pull: async (controller) => {
        clearTimeout(stall);
        let frame: string;
        try {
          next ??= frames.next();
          const result = await orPing(next, options.pingMs);
          if (canceled) return;
          if (result === 'ping') frame = ssePing();
          else {
            next = undefined;
            if (result.done) {
              end();
              return controller.close();
            }
            frame = result.value;
          }
        } catch (error) {
          if (canceled) return;
          controller.enqueue(encoder.encode(options.failed(error)));
          end();
          return controller.close();
        }
        controller.enqueue(encoder.encode(frame));
        stall = setTimeout(() => {
          options.closed();
          controller.error(new Error('the reader stalled'));
        }, options.stallMs);
      },
      cancel: async () => {
        canceled = true;
        end();
        await frames.return?.();
      },
    },
    { highWaterMark: 0 },
  );
  return new Response(body, {
    headers: {
      'content-type': 'text/event-stream',
      'cache-control': 'no-cache, no-transform',
      'x-accel-buffering': 'no',
      ...options.headers,
    },
  });
}

async function orPing<T>(next: Promise<T>, ms: number): Promise<T | 'ping'> {
  let timer: NodeJS.Timeout | undefined;
  const ping = new Promise<'ping'>((resolve) => {
    timer = setTimeout(() => resolve('ping'), ms);
  });
  try {
    return await Promise.race([next, ping]);
  } finally {
    clearTimeout(timer);
  }
}
