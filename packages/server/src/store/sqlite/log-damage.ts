import { closeSync, fstatSync, openSync, readSync } from 'node:fs';

const HEADER_BYTES = 32;
const FRAME_HEADER_BYTES = 24;
const MAGIC = 0x377f0682;

/**
 * What is wrong with the write-ahead log of a database that no process has open; nothing as a rule. SQLite takes a log
 * up to the first frame whose checksum is wrong and is silent about the rest ("WAL File Format", sqlite.org). The last
 * frame of a killed process may be such a one, and was not committed; if others of the same log follow, a disk has lost
 * something. What a transaction that was undone has left beyond the end looks the same, which takes more than 2 MB.
 */
export function damageOfLog(wal: string): string | undefined {
  const fd = open(wal);
  if (fd === undefined) return undefined;
  try {
    return damageIn(fd, wal);
  } finally {
    closeSync(fd);
  }
}

function damageIn(fd: number, wal: string): string | undefined {
  const { size } = fstatSync(fd);
  const header = read(fd, 0, HEADER_BYTES);
  if (size < HEADER_BYTES + FRAME_HEADER_BYTES || !header) return undefined;
  const sum = checksum(header.readUInt32BE(0) === MAGIC);
  if ((header.readUInt32BE(0) | 1) >>> 0 !== MAGIC + 1 || !sum.add(header.subarray(0, 24)).is(header, 24)) {
    return `${wal} does not begin as a log does: what was in it is lost`;
  }
  const salts = header.subarray(16, 24);
  const frameBytes = FRAME_HEADER_BYTES + header.readUInt32BE(8);
  const frames = Math.floor((size - HEADER_BYTES) / frameBytes);
  let unsound: number | undefined;
  let after = 0;
  for (let n = 0; n < frames; n++) {
    const wanted = unsound === undefined ? frameBytes : FRAME_HEADER_BYTES;
    const frame = read(fd, HEADER_BYTES + n * frameBytes, wanted);
    if (!frame?.subarray(8, 16).equals(salts)) {
      // The rest is of an earlier log, unless only this frame is.
      if (unsound !== undefined || !nextIsOurs(fd, HEADER_BYTES + (n + 1) * frameBytes, salts)) break;
      unsound = n;
      continue;
    }
    if (unsound !== undefined) after += 1;
    else if (!sum.add(frame.subarray(0, 8)).add(frame.subarray(FRAME_HEADER_BYTES)).is(frame, 16))
      unsound = n;
  }
  if (unsound === undefined || after === 0) return undefined;
  return `${wal} is damaged at frame ${unsound + 1}: what was stored in it and the ${after} frames after it is lost`;
}

function nextIsOurs(fd: number, offset: number, salts: Buffer): boolean {
  return read(fd, offset, FRAME_HEADER_BYTES)?.subarray(8, 16).equals(salts) === true;
}

interface Checksum {
  add(bytes: Buffer): Checksum;
  /** Equals the two numbers at an offset. */
  is(bytes: Buffer, offset: number): boolean;
}

function checksum(littleEndian: boolean): Checksum {
  let one = 0;
  let two = 0;
  const sum: Checksum = {
    add: (bytes) => {
      for (let i = 0; i + 8 <= bytes.length; i += 8) {
        const first = littleEndian ? bytes.readUInt32LE(i) : bytes.readUInt32BE(i);
        const second = littleEndian ? bytes.readUInt32LE(i + 4) : bytes.readUInt32BE(i + 4);
        one = (one + first + two) >>> 0;
        two = (two + second + one) >>> 0;
      }
      return sum;
    },
    is: (bytes, offset) => bytes.readUInt32BE(offset) === one && bytes.readUInt32BE(offset + 4) === two,
  };
  return sum;
}

function read(fd: number, offset: number, length: number): Buffer | undefined {
  const bytes = Buffer.allocUnsafe(length);
  return readSync(fd, bytes, 0, length, offset) === length ? bytes : undefined;
}

function open(wal: string): number | undefined {
  try {
    return openSync(wal, 'r');
  } catch {
    return undefined;
  }
}
