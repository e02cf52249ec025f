import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { pino } from 'pino';
import { afterEach, describe, expect, it } from 'vitest';
import { startHousekeeping } from '../../packages/server/src/engine/housekeeping.ts';
import { createLocalWake } from '../../packages/server/src/engine/local-wake.ts';
import type { RunEnd } from '../../packages/server/src/engine/ports/executor.ts';
import { type Database, openDatabase } from '../../packages/server/src/store/sqlite/database.ts';
import { storeOn } from '../../packages/server/src/store/sqlite/open.ts';
import { admit, claimOne, complete, delta, inbound, send } from '../store/scenario.ts';
import { COMPLETED, type Engine, openEngine, piece } from './engine-harness.ts';

let engine: Engine | undefined;
let database: Database | undefined;
afterEach(async () => {
  await engine?.close();
  database?.close();
  engine = undefined;
  database = undefined;
});

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;
const heap = (): number => {
  collectGarbage();
  return process.memoryUsage().heapUsed;
};

const ASKS: RunEnd = { state: 'TASK_STATE_INPUT_REQUIRED', pending: [] };

describe('U35: memory', () => {
  it.each([
    ['have ended', COMPLETED],
    ['wait for their caller', ASKS],
  ])('does not hold tasks that %s', async (_, end) => {
    const opened = openEngine(
      async (text, context) => {
        for (let n = 0; n < 4; n++) context.emit(piece(context, `${n}`, `${text}${n}`.padEnd(25_000, 'x')));
        return end;
      },
      { fused: {} },
    );
    engine = opened;
    const rounds = async (count: number): Promise<void> => {
      for (let n = 0; n < count; n++) await opened.say(`${n}`, `context ${Math.random()}`);
    };
    await rounds(50);
    const before = heap();
    await rounds(200);
    // Each task has an artifact of 100 kB: two hundred that were kept would be 20 MB.
    expect(heap() - before).toBeLessThan(6_000_000);
  });
});

it('U35: what a stream writes grows with its pieces, not with its square', async () => {
  const { sqlite, ...rest } = openDatabase(':memory:');
  const store = storeOn({ sqlite, ...rest });
  const changes = (): number => sqlite.prepare<[], number>('SELECT total_changes()').pluck().get() as number;
  const written = async (pieces: number): Promise<number> => {
    await send(store);
    const lease = await claimOne(store);
    const before = changes();
    for (let n = 0; n < pieces; n++) await store.append(lease, [delta(lease, `${n}`, 'word ')]);
    const rows = changes() - before;
    await complete(store, lease);
    return rows;
  };
  // One row a piece, and now and then the whole task.
  for (const pieces of [100, 1_000]) expect(await written(pieces)).toBeLessThan(pieces * 1.1);
  await store.close();
});

it('U35: requests are forgotten a day after they came, with their Idempotency-Key', async () => {
  database = openDatabase(':memory:');
  const clock = { now: Date.now() };
  const store = storeOn(database, () => clock.now);
  const requests = database.sqlite.prepare<[], number>('SELECT count(*) FROM requests').pluck();
  await store.submit({ ...inbound(), request: { key: 'k', digest: 'd', keptMs: 86_400_000 } }, admit);
  const sweep = async (): Promise<void> => {
    const ttl = { pausedTtlMs: 1e12, eventTtlMs: 1e12, taskTtlMs: 1e12 };
    const logger = pino({ level: 'silent' });
    const housekeeping = startHousekeeping({
      store,
      wake: createLocalWake(),
      logger,
      newId: () => 'id',
      ...ttl,
    });
    await new Promise((resolve) => setImmediate(resolve));
    await housekeeping.close();
  };
  clock.now += 86_300_000;
  await sweep();
  expect(requests.get()).toBe(1);
  clock.now += 200_000;
  await expect
    .poll(async () => {
      await sweep();
      return requests.get();
    })
    .toBe(0);
});
