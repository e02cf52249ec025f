import { randomFillSync } from 'node:crypto';
import { v7 } from 'uuid';

const BYTES = 16;
const pool = new Uint8Array(256 * BYTES);
let used = pool.length;
let msecs = 0;
let seq = 0;

/**
 * A UUIDv7 (RFC 9562) that sorts behind all that this process made before. Random bytes are drawn for 256 ids at once:
 * drawn one by one they are most of what an id costs.
 */
export function newId(): string {
  if (used === pool.length) {
    randomFillSync(pool);
    used = 0;
  }
  const random = pool.subarray(used, used + BYTES);
  used += BYTES;
  const now = Date.now();
  if (now > msecs) {
    msecs = now;
    seq = new DataView(pool.buffer, random.byteOffset).getUint32(6) >>> 1;
  } else if (++seq > 0xffff_ffff) {
    msecs += 1;
    seq = 0;
  }
  return v7({ random, msecs, seq });
}
