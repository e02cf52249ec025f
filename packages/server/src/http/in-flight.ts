import { setMaxListeners } from 'node:events';

/** Requests that are being answered, and the end of them. */
export interface InFlight {
  /** Aborted for everybody who still waits when the server stops. */
  readonly closing: AbortSignal;
  /** Counts a request until it is answered; a stream is, once it has begun. */
  answer(work: () => Promise<Response>): Promise<Response>;
  /** Aborts whoever waits, and resolves when all are answered or `ms` have passed. */
  close(ms: number): Promise<void>;
}

export function countInFlight(): InFlight {
  const closing = new AbortController();
  // Every stream listens.
  setMaxListeners(0, closing.signal);
  let open = 0;
  let idle = (): void => {};
  return {
    closing: closing.signal,
    answer: async (work) => {
      open += 1;
      try {
        return await work();
      } finally {
        open -= 1;
        if (open === 0) idle();
      }
    },
    close: (ms) =>
      new Promise((resolve) => {
        const timer = setTimeout(resolve, ms);
        idle = () => {
          clearTimeout(timer);
          resolve();
        };
        closing.abort();
        if (open === 0) idle();
      }),
  };
}
