import { statSync } from 'node:fs';
import { type Finding, findingsOf } from './finding.ts';

const { ok, warning } = findingsOf('clock');

/** Clocks of one machine differ by nothing, those of a machine and its file server by little. */
const TOLERANCE_MS = 60_000;

/** The clock against the last event and the last write. A clock that was set back makes times of tasks run backwards. */
export function checkClock(file: string, lastWriteAt: number | undefined, now: number): Finding {
  const writtenAt = [file, `${file}-wal`].map(
    (one) => statSync(one, { throwIfNoEntry: false })?.mtimeMs ?? 0,
  );
  const last = Math.max(lastWriteAt ?? 0, ...writtenAt);
  const time = new Date(last).toISOString();
  if (last - now > TOLERANCE_MS) {
    const ahead = Math.round((last - now) / 1_000);
    return warning(
      `the last write to ${file} was at ${time}, ${ahead} seconds from now`,
      'set the clock of this machine (or it was ahead before); wakes, leases and retention go by it',
    );
  }
  return ok(`the last write was at ${time}`);
}
