// A process that writes tasks until it is killed and says what it has committed. Arguments: a file; `hold` to open only.
import { openSqliteStore } from '../../packages/server/src/store/sqlite/open.ts';
import { admit, claimant, complete, delta, inbound } from './scenario.ts';

const [file = '', hold] = process.argv.slice(2);
// To a pipe, this is synchronous.
const say = (line: string) => process.stdout.write(`${line}\n`);
try {
  const store = openSqliteStore({ file });
  await store.reap(true);
  say('open');
  for (let i = 0; hold === undefined; i++) {
    const { claimed } = await store.submit(inbound({ contextId: `c${i % 3}` }), admit, claimant());
    const lease = claimed?.lease ?? (await store.claim(claimant(), 1))[0]?.lease;
    if (!lease) throw new Error('nothing to do');
    for (let j = 0; j < 5; j++) {
      const [last] = (await store.append(lease, [delta(lease, `${lease.epoch}.${j}`, 'x', j > 0)])).slice(-1);
      say(`${lease.taskId} ${last?.seq}`);
    }
    const { snapshot } = await complete(store, lease);
    say(`${lease.taskId} ${snapshot.seq}`);
  }
  setInterval(() => {}, 60_000);
} catch (error) {
  say(`failed ${JSON.stringify({ code: (error as { code?: string }).code, message: String(error) })}`);
}
