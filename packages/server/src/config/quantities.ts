import { z } from 'zod';

const UNITS_MS: { [unit: string]: number } = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };
const UNITS_BYTES: { [unit: string]: number } = { b: 1, kib: 1_024, mib: 1_048_576, gib: 1_073_741_824 };

/** `"90s"`, `"1 h"`, `"7d"`, or a number of seconds; read as milliseconds. */
export const duration: z.ZodType<number> = quantity(
  'a duration such as "30s", "1h" or "7d"',
  UNITS_MS,
  1_000,
);

/** `"10 MiB"`, or a number of bytes; read as bytes. */
export const byteSize: z.ZodType<number> = quantity('a size such as "10 MiB"', UNITS_BYTES, 1);

function quantity(expected: string, units: { [unit: string]: number }, plain: number): z.ZodType<number> {
  return z.union([z.string(), z.number()], { error: `expected ${expected}` }).transform((value, context) => {
    const amount = typeof value === 'number' ? value * plain : parse(value, units);
    const whole = Math.round(amount ?? 0);
    if (Number.isFinite(whole) && whole > 0) return whole;
    context.addIssue({ code: 'custom', message: `expected ${expected}` });
    return z.NEVER;
  });
}

function parse(text: string, units: { [unit: string]: number }): number | undefined {
  const match = /^\s*(\d+(?:\.\d+)?)\s*([a-z]+)\s*$/i.exec(text);
  const unit = match ? units[(match[2] ?? '').toLowerCase()] : undefined;
  return unit === undefined ? undefined : Number(match?.[1]) * unit;
}
