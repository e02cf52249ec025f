/** `YYYY-MM-DDTHH:mm:ss.sssZ`, the one form that goes out (A2A 1.0, section 5.6.1). `epochMs` in milliseconds. */
export function formatTimestamp(epochMs: number): string {
  return new Date(epochMs).toISOString();
}

const RFC3339 =
  /^(\d{4})-(\d{2})-(\d{2})[Tt](\d{2}):(\d{2}):(\d{2})(?:\.(\d{1,9}))?(?:[Zz]|([+-])(\d{2}):(\d{2}))$/;

/** Milliseconds since the epoch of an RFC 3339 date-time, rounded up; `undefined` if `text` is none. */
export function parseTimestamp(text: string): number | undefined {
  const match = RFC3339.exec(text);
  if (match === null) return undefined;
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = match.slice(1, 7).map(Number);
  const offsetHour = Number(match[9] ?? 0);
  const offsetMinute = Number(match[10] ?? 0);
  if (hour > 23 || minute > 59 || second > 59 || offsetHour > 23 || offsetMinute > 59) return undefined;
  const date = new Date(0);
  date.setUTCFullYear(year, month - 1, day);
  date.setUTCHours(hour, minute, second);
  // 30 February and month 13 roll over into another month.
  if (date.getUTCMonth() !== month - 1 || date.getUTCDate() !== day) return undefined;
  const fractionMs = Math.ceil(Number(`0.${match[7] ?? '0'}`) * 1000);
  const offsetMs = (offsetHour * 60 + offsetMinute) * 60_000;
  return date.getTime() + fractionMs + (match[8] === '-' ? offsetMs : -offsetMs);
}
