// A process that writes two rows a transaction and begins its log anew every few of them. Argument: a file.
import { openDatabase } from '../../packages/server/src/store/sqlite/database.ts';

const database = openDatabase(process.argv[2] ?? '');
const { sqlite } = database;
sqlite.exec(
  'CREATE TABLE left_of (n INTEGER PRIMARY KEY, body); CREATE TABLE right_of (n INTEGER PRIMARY KEY, body)',
);
const left = sqlite.prepare('INSERT INTO left_of VALUES (?, randomblob(4000))');
const right = sqlite.prepare('INSERT INTO right_of VALUES (?, randomblob(4000))');
const write = (n: number): void => {
  database.write(() => {
    left.run(n);
    right.run(n);
  });
};
let n = 0;
while (n < 4_000) write(++n);
sqlite.pragma('wal_autocheckpoint = 4');
process.stdout.write('writing\n');
const go = (): void => {
  write(++n);
  setImmediate(go);
};
go();
