import { afterEach, beforeEach, expect, it } from 'vitest';
import { openRows, type Rows } from '../../../test/rows.ts';
import type { Lease } from '../../engine/ports/run.ts';
import { Unavailable } from '../../engine/unavailable.ts';
import { type StagedRuns, trackStagedRuns } from './staged-runs.ts';

let { sqlite, transactions, add, orphan, refuse, stored }: Rows = openRows();
let runs: StagedRuns;
let asked: number;
let takenOver: Lease | undefined;
beforeEach(() => {
  ({ sqlite, transactions, add, orphan, refuse, stored } = openRows());
  asked = 0;
  takenOver = undefined;
  runs = trackStagedRuns(transactions, (of) => {
    asked += 1;
    if (of === takenOver) throw new Error('taken over');
  });
});
afterEach(() => sqlite.close());

const lease = (epoch = 1): Lease => ({ runId: 'run', epoch }) as Lease;
const join = (of: Lease, body: () => number): number => runs.write(of, transactions.join, body);

it('writes nothing more once they are lost; other runs and its own next attempt do', async () => {
  const [early, broken, next] = [lease(), lease(), lease(2)];
  join(early, () => add(1));
  await transactions.commit();
  join(broken, orphan);
  await expect(transactions.commit()).rejects.toThrow(Unavailable);
  expect(() => join(broken, () => add(2))).toThrow(Unavailable);
  expect(() => runs.assertWhole(broken)).toThrow(Unavailable);
  runs.assertWhole(early);
  join(next, () => add(3));
  await transactions.commit();
  expect(stored()).toEqual([1, 3]);
});

it('is asked whether it is held if nothing is known, after a doubt and after its end', async () => {
  const run = lease();
  for (let n = 0; n < 3; n++) join(run, () => add(n));
  await transactions.commit();
  join(run, () => add(3));
  expect(asked).toBe(1);
  runs.doubt();
  join(run, () => add(4));
  expect(asked).toBe(2);
  runs.end(run);
  takenOver = run;
  expect(() => join(run, () => add(5))).toThrow('taken over');
  await transactions.commit();
  expect(stored()).toEqual([0, 1, 2, 3, 4]);
});

it('is not asked when it was given out just now, unless that was lost', async () => {
  const run = lease();
  transactions.stage(() => runs.begin(run));
  join(run, () => add(1));
  expect(asked).toBe(0);
  transactions.stage(orphan);
  await expect(transactions.commit()).rejects.toThrow(Unavailable);
  runs.assertHeld(run);
  expect(asked).toBe(1);
});

it('is asked for each attempt', () => {
  const old = lease(1);
  takenOver = old;
  join(lease(2), () => add(1));
  expect(() => join(old, () => add(2))).toThrow('taken over');
  expect(stored()).toEqual([1]);
});

it('is whole after a write that failed alone, whatever is lost later', async () => {
  const run = lease();
  expect(() => join(run, refuse)).toThrow('refused');
  transactions.stage(orphan);
  await expect(transactions.commit()).rejects.toThrow(Unavailable);
  runs.assertWhole(run);
});

it('is not whole when its own first write took the transaction with it', () => {
  transactions.stage(() => add(1));
  const run = lease();
  expect(() => join(run, () => sqlite.prepare('INSERT INTO nowhere VALUES (1)').run().changes)).toThrow();
  expect(() => runs.assertWhole(run)).toThrow(Unavailable);
  expect(stored()).toEqual([]);
});

it.each(['write', 'end'] as const)('that finds its transaction lost is refused its %s', async (what) => {
  const run = lease();
  join(run, () => add(1));
  // As a read does that fails with an I/O error.
  sqlite.exec('ROLLBACK');
  const next = (): unknown =>
    what === 'write' ? join(run, () => add(2)) : transactions.stage(() => runs.assertWhole(run));
  expect(next).toThrow(Unavailable);
  await transactions.commit();
  expect(stored()).toEqual([]);
});

it('is whole if it begins to write when an older transaction is found lost', () => {
  transactions.stage(() => add(1));
  sqlite.exec('ROLLBACK');
  const run = lease();
  join(run, () => add(2));
  join(run, () => add(3));
  runs.assertWhole(run);
});

it('is not whole once the disk had no room for it, though nothing else was lost', () => {
  sqlite.pragma(`max_page_count = ${sqlite.pragma('page_count', { simple: true })}`);
  const run = lease();
  const large = (): number =>
    sqlite
      .prepare('INSERT INTO t (n) SELECT value FROM json_each(?)')
      .run(JSON.stringify(Array(5_000).fill(1))).changes;
  expect(() => join(run, large)).toThrow(Unavailable);
  expect(() => runs.assertWhole(run)).toThrow(Unavailable);
});
