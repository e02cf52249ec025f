/** Points in a graph that a test holds and opens, in place of sleeping. */
export interface Gates {
  /** Waits while the gate is held. */
  pass(name: string, signal?: AbortSignal): Promise<void>;
  hold(...names: string[]): void;
  open(...names: string[]): void;
  /** Resolves when somebody waits at the gate. */
  reached(name: string): Promise<void>;
}

export function createGates(): Gates {
  const held = new Map<string, PromiseWithResolve>();
  const waiting = new Map<string, PromiseWithResolve>();
  const arrival = (name: string): PromiseWithResolve => {
    const known = waiting.get(name) ?? createResolvable();
    waiting.set(name, known);
    return known;
  };
  return {
    pass: async (name, signal) => {
      const gate = held.get(name);
      if (!gate) return;
      arrival(name).resolve();
      const aborted = new Promise<never>((_, reject) => {
        signal?.addEventListener('abort', () => reject(signal.reason), { once: true });
      });
      await Promise.race([gate.promise, aborted]);
    },
    hold: (...names) => {
      for (const name of names) held.set(name, createResolvable());
    },
    open: (...names) => {
      for (const name of names) {
        held.get(name)?.resolve();
        held.delete(name);
        waiting.delete(name);
      }
    },
    reached: (name) => arrival(name).promise,
  };
}

interface PromiseWithResolve {
  promise: Promise<void>;
  resolve(): void;
}

function createResolvable(): PromiseWithResolve {
  let resolve = (): void => {};
  const promise = new Promise<void>((done) => {
    resolve = done;
  });
  return { promise, resolve };
}
