import type { Subject } from './process.ts';

/** What one operation costs. */
export interface Cost {
  /** Elapsed time divided by the number of operations, whatever their concurrency. */
  ms: number;
  /** CPU time of the server's process, microseconds. */
  cpu: number;
}

export interface Load {
  clients: number;
  operations: number;
}

/** Runs `operation` so many times, `clients` at once, each beginning its next when its last is done. */
export async function measure(
  subject: Subject,
  load: Load,
  operation: () => Promise<unknown>,
): Promise<Cost> {
  const cpuBefore = await subject.cpu();
  const began = performance.now();
  await inParallel(load, operation);
  const elapsed = performance.now() - began;
  const cpuAfter = await subject.cpu();
  return { ms: elapsed / load.operations, cpu: (cpuAfter - cpuBefore) / load.operations };
}

export async function inParallel(
  { clients, operations }: Load,
  operation: () => Promise<unknown>,
): Promise<void> {
  let left = operations;
  const client = async (): Promise<void> => {
    while (left-- > 0) await operation();
  };
  await Promise.all(Array.from({ length: Math.min(clients, operations) }, client));
}

/** A B C … A B C …, so that what disturbs the machine for a while disturbs all. */
export async function interleave<T>(
  rounds: number,
  turns: readonly { name: string; take: () => Promise<T> }[],
  progress: (line: string) => void,
): Promise<Map<string, T[]>> {
  const results = new Map<string, T[]>(turns.map(({ name }) => [name, []]));
  for (let round = 1; round <= rounds; round++) {
    for (const { name, take } of turns) {
      progress(`round ${round} of ${rounds}: ${name}`);
      results.get(name)?.push(await take());
    }
  }
  return results;
}

export function median(values: readonly number[]): number {
  const sorted = values.filter((value) => !Number.isNaN(value)).sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  const upper = sorted[middle];
  if (upper === undefined) return Number.NaN;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? upper) + upper) / 2;
}

/** The median of the ratios round by round: a machine that is slow for a while is slow for both. */
export function ratio(one: readonly Cost[], other: readonly Cost[]): Cost {
  const rounds = one.flatMap((cost, round) => {
    const base = other[round];
    return base ? [{ ms: cost.ms / base.ms, cpu: cost.cpu / base.cpu }] : [];
  });
  return medians(rounds, ['ms', 'cpu']);
}

/** The median of each member. */
export function medians<K extends string>(
  rows: readonly { [key in K]: number }[],
  keys: readonly K[],
): {
  [key in K]: number;
} {
  return Object.fromEntries(keys.map((key) => [key, median(rows.map((row) => row[key]))])) as {
    [key in K]: number;
  };
}
