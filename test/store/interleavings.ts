import { isTerminal } from '@parley/protocol';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Fenced } from '../../packages/server/src/engine/fenced.ts';
import type { Lease } from '../../packages/server/src/engine/ports/run.ts';
import type { Store } from '../../packages/server/src/engine/ports/store.ts';
import { folded } from './folded.ts';
import { AGENT, admit, claimant, complete, delta, inbound, OWNER, pause, refOf } from './scenario.ts';

type Step =
  | { do: 'submit'; lane: number; fused: boolean }
  | { do: 'follow-up'; task: number }
  | { do: 'claim'; worker: number; n: number }
  | { do: 'append'; lease: number; keys: number[]; task: number }
  | { do: 'finish'; lease: number; how: 'complete' | 'ask' | 'wait' }
  | { do: 'release'; lease: number; counts: boolean }
  | { do: 'cancel'; task: number }
  | { do: 'reap'; all: boolean };

const nat = fc.nat(20);
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({ do: fc.constant('submit' as const), lane: fc.nat(2), fused: fc.boolean() }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('follow-up' as const), task: nat }) },
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant('claim' as const),
      worker: fc.nat(1),
      n: fc.integer({ min: 1, max: 3 }),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant('append' as const),
      lease: nat,
      keys: fc.array(fc.nat(8), { minLength: 1, maxLength: 4 }),
      task: nat,
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant('finish' as const),
      lease: nat,
      how: fc.constantFrom('complete' as const, 'ask' as const, 'wait' as const),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ do: fc.constant('release' as const), lease: nat, counts: fc.boolean() }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('cancel' as const), task: nat }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('reap' as const), all: fc.constant(true) }) },
);

const QUESTION = '0'.repeat(32);

/** What the test knows of a store that two workers share. Leases are kept after their end: their holders do not know. */
class World {
  readonly store: Store;
  readonly tasks: { taskId: string; contextId: string }[] = [];
  readonly runs: { runId: string; taskId: string; contextId: string }[] = [];
  readonly leases: Lease[] = [];
  readonly held = new Set<Lease>();
  /** By context: the task whose question is open, in a pause or in the thread of a run that wrote none. */
  readonly asking = new Map<string, string>();

  constructor(store: Store) {
    this.store = store;
  }

  async take(step: Step): Promise<void> {
    switch (step.do) {
      case 'submit':
        return this.#submit({ contextId: `lane-${step.lane}` }, step.fused);
      case 'follow-up': {
        const task = pick(this.tasks, step.task);
        return task && this.#submit({ taskId: task.taskId, data: { resume: { [QUESTION]: 'yes' } } }, false);
      }
      case 'claim':
        for (const { lease } of await this.store.claim(claimant(60_000, `worker-${step.worker}`), step.n)) {
          await this.#claimed(lease);
        }
        return;
      case 'append': {
        const task = pick(this.tasks, step.task);
        const entries = (lease: Lease) => [
          ...step.keys.map((key) => delta(lease, `key-${key}`, `${key} `, key > 2, `artifact-${key % 3}`)),
          ...(task ? [{ ...delta(lease, 'from another', 'x'), taskId: task.taskId }] : []),
        ];
        return this.#through(step.lease, (lease) => this.store.append(lease, entries(lease)), false);
      }
      case 'finish':
        return this.#through(step.lease, (lease) => this.#finish(lease, step.how), true);
      case 'release':
        return this.#through(step.lease, (lease) => this.store.release(lease, 0, step.counts), true);
      case 'cancel': {
        const task = pick(this.tasks, step.task);
        if (task) await this.store.requestCancel(refOf(task));
        return;
      }
      case 'reap':
        expect(await this.store.reap(step.all)).toBe(this.held.size);
        this.held.clear();
    }
  }

  async #submit(sending: object, fused: boolean): Promise<void> {
    try {
      const sent = await this.store.submit(inbound(sending), admit, fused ? claimant() : undefined);
      if (!('taskId' in sending)) this.tasks.push(sent);
      this.runs.push(sent);
      if (sent.claimed) await this.#claimed(sent.claimed.lease);
    } catch (error) {
      expect(error).toHaveProperty('kind');
    }
  }

  /** One run per lane, none before its turn, and only the asking task's while its question is open. */
  async #claimed(lease: Lease): Promise<void> {
    const { contextId } = lease.lane;
    for (const other of this.held) expect(other.lane.contextId).not.toBe(contextId);
    const asking = await this.#asking(contextId);
    if (asking !== undefined) expect(lease.taskId).toBe(asking);
    for (const run of this.runs) {
      if (run.runId === lease.runId) break;
      if (run.contextId !== contextId || (asking !== undefined && run.taskId !== asking)) continue;
      expect(['done', 'dropped', 'refused']).toContain((await this.store.outcome(run.runId)).state);
    }
    this.leases.push(lease);
    this.held.add(lease);
  }

  async #asking(contextId: string): Promise<string | undefined> {
    const taskId = this.asking.get(contextId);
    if (taskId === undefined) return undefined;
    const found = await this.store.snapshot(refOf({ taskId }));
    return found && !isTerminal(found.task.status.state) ? taskId : undefined;
  }

  async #finish(lease: Lease, how: 'complete' | 'ask' | 'wait'): Promise<void> {
    if (how === 'complete') await complete(this.store, lease);
    else await pause(this.store, lease, how === 'ask' ? [QUESTION] : []);
    if (how === 'ask') this.asking.set(lease.lane.contextId, lease.taskId);
    else this.asking.delete(lease.lane.contextId);
  }

  /** No lane is stuck: when every run completes and no question stays open, nothing waits any more. */
  async settle(): Promise<void> {
    await this.store.reap(true);
    this.held.clear();
    for (;;) {
      const claimed = await this.store.claim(claimant(), 10);
      for (const { lease } of claimed) {
        this.asking.delete(lease.lane.contextId);
        await complete(this.store, lease);
      }
      if (claimed.length > 0) continue;
      const waiting = await Promise.all([...this.asking.keys()].map((contextId) => this.#asking(contextId)));
      this.asking.clear();
      const taskIds = waiting.filter((taskId) => taskId !== undefined);
      if (taskIds.length === 0) break;
      for (const taskId of taskIds) await this.store.requestCancel(refOf({ taskId }));
    }
    for (const { runId } of this.runs) {
      expect(['done', 'dropped', 'refused']).toContain((await this.store.outcome(runId)).state);
    }
  }

  /** A write of whoever once had a lease: it is carried out, or refused and leaves no trace. */
  async #through(index: number, write: (lease: Lease) => Promise<unknown>, ends: boolean): Promise<void> {
    const lease = pick(this.leases, index);
    if (!lease) return;
    if (this.held.has(lease)) {
      await write(lease);
      if (ends) this.held.delete(lease);
      return;
    }
    const before = await this.#lengths();
    await expect(write(lease)).rejects.toThrow(Fenced);
    expect(await this.#lengths()).toEqual(before);
  }

  async #lengths(): Promise<number[]> {
    return Promise.all(
      this.tasks.map(async ({ taskId }) => (await this.store.read(taskId, 0, 10_000)).length),
    );
  }

  async check(): Promise<void> {
    for (const { taskId } of this.tasks) {
      const log = await this.store.read(taskId, 0, 10_000);
      expect(log.map(({ seq }) => seq)).toEqual(log.map((_, i) => i + 1));
      const ends = log.filter(
        ({ event }) => 'statusUpdate' in event && isTerminal(event.statusUpdate.status.state),
      );
      expect(ends.length).toBeLessThanOrEqual(1);
      if (ends[0]) expect(ends[0]).toBe(log.at(-1));
      expect(await this.store.snapshot(refOf({ taskId }))).toEqual(await folded(this.store, taskId));
    }
    for (const lease of this.held) expect((await this.store.outcome(lease.runId)).state).toBe('running');
    const filter = { owner: OWNER, assistantId: AGENT };
    const { tasks, total } = await this.store.list(filter, { size: 1_000, artifacts: false });
    expect(tasks.map(({ id }) => id).sort()).toEqual(this.tasks.map(({ taskId }) => taskId).sort());
    expect(total).toBe(this.tasks.length);
  }
}

const pick = <T>(from: readonly T[], index: number): T | undefined => from[index % Math.max(from.length, 1)];

/** Any order of calls by two workers keeps the rules of the log, the queue and the fence. */
export function describeInterleavings(name: string, open: () => Promise<Store>, numRuns: number): void {
  describe(name, () => {
    it('keeps its invariants in any order of calls', async () => {
      await fc.assert(
        fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 60, size: 'max' }), async (steps) => {
          const store = await open();
          try {
            const world = new World(store);
            for (const one of steps) {
              await world.take(one);
              await world.check();
            }
            await world.settle();
          } finally {
            await store.close();
          }
        }),
        { numRuns },
      );
    });
  });
}
