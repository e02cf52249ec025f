import { exceedsDepth } from '@parley/protocol';
import { z } from 'zod';
import { ApiError } from '../../assistants/api-error.ts';
import { readBody } from '../body.ts';
import { assertJson } from '../json-only.ts';
import type { ApiOptions } from './answer.ts';

/** The body of a request, checked; none is an empty one. Throws `ApiError` that names the first field that is wrong. */
export async function readJson<T>(
  { bodyLimit, maxDepth }: ApiOptions,
  request: Request,
  schema: z.ZodType<T>,
): Promise<T> {
  assertJson(request);
  const text = await readBody(request, bodyLimit);
  if (exceedsDepth(text, maxDepth))
    throw new ApiError('invalid', `The body is nested deeper than ${maxDepth} levels`);
  return check(schema, parse(text));
}

/** The query of a request, checked; of a name that is repeated, the last. */
export function readQuery<T>(request: Request, schema: z.ZodType<T>): T {
  return check(schema, Object.fromEntries(new URL(request.url).searchParams));
}

function parse(text: string): unknown {
  if (text.trim() === '') return {};
  try {
    return JSON.parse(text);
  } catch {
    throw new ApiError('invalid', 'The body is not JSON');
  }
}

function check<T>(schema: z.ZodType<T>, value: unknown): T {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const field = (issue?.path ?? []).map(String).join('.');
  const problem = issue?.message ?? 'is not valid';
  throw new ApiError('invalid', field === '' ? problem : `${field}: ${problem}`);
}

/** A field that may be left out or `null`, which is the same. */
export function optional<T>(schema: z.ZodType<T>): z.ZodType<T | undefined> {
  return schema.nullish().transform((value) => value ?? undefined) as z.ZodType<T | undefined>;
}

const whole = 'expected a whole number';

/** Which part of a list: `limit` items behind the first `offset`. */
export const limit: z.ZodType<number> = z
  .int(whole)
  .min(1)
  .max(1_000)
  .nullish()
  .transform((n) => n ?? 10);
export const offset: z.ZodType<number> = z
  .int(whole)
  .min(0)
  .nullish()
  .transform((n) => n ?? 0);

/** The wanted members of an object; all if no list says which. */
export function selected<T extends object>(whole: T, select: readonly string[] | undefined): Partial<T> {
  if (!select) return whole;
  return Object.fromEntries(Object.entries(whole).filter(([key]) => select.includes(key))) as Partial<T>;
}
