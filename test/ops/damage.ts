import { closeSync, openSync, readSync, statSync, writeSync } from 'node:fs';

/** Bytes of a page of our databases. */
const PAGE_BYTES = 2_048;

/** Overwrites pages, counted from 1, with what no database has in them. */
export function damagePages(file: string, { from, every }: { from: number; every: number }): void {
  const fd = openSync(file, 'r+');
  const pages = Math.floor(statSync(file).size / PAGE_BYTES);
  for (let page = from; page <= pages; page += every) {
    writeSync(fd, Buffer.alloc(PAGE_BYTES, 0xa5), 0, PAGE_BYTES, (page - 1) * PAGE_BYTES);
  }
  closeSync(fd);
}

/** Turns one byte of a file around. */
export function flipByte(file: string, offset: number): void {
  const fd = openSync(file, 'r+');
  const byte = Buffer.alloc(1);
  readSync(fd, byte, 0, 1, offset);
  byte[0] = (byte[0] ?? 0) ^ 0xff;
  writeSync(fd, byte, 0, 1, offset);
  closeSync(fd);
}
