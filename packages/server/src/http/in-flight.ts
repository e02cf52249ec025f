import { setMaxListeners } from 'node:events';

/** Requests that are being answered, streams included, and the end of them. */
export interface InFlight {
  /** Aborted for everybody who still waits when the server stops. */
  readonly closing: AbortSignal;
  /** Counts one more until the returned function is called. */
  begin(): () => void;
  /** Resolves when all are answered, or `ms` have passed. */
  settled(ms: number): Promise<void>;
  /** Aborts whoever waits. */
  close(): void;
}

export function countInFlight(): InFlight {
  const closing = new AbortController();
  // Every stream listens.
  setMaxListeners(0, closing.signal);
  const open = new Set<object>();
  let idle = (): void => {};
  return {
    closing: closing.signal,
    begin: () => {
      const one = {};
      open.add(one);
      return () => {
        if (open.delete(one) && open.size === 0) idle();
      };
    },
    settled: (ms) =>
      new Promise((resolve) => {
        if (open.size === 0) return resolve();
        const timer = setTimeout(resolve, ms);
        idle = () => {
          clearTimeout(timer);
          resolve();
        };
      }),
    close: () => closing.abort(),
  };
}
