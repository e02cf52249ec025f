import type { z } from 'zod';
import { type HttpSettings, httpSettings, type Settings, settings } from './settings.ts';

/** Makes the error for a key: a file is refused with another class than an argument, in the same words. */
export type Refuse = (key: string, problem: string, cause?: unknown) => Error;

/** The value of `a2a`, with every default. Throws what `refuse` makes. */
export function readSettings(a2a: unknown, graphIds: readonly string[], refuse: Refuse): Settings {
  const read = parseAs('a2a', settings, a2a, refuse);
  for (const graphId of Object.keys(read.assistants)) {
    if (graphIds.includes(graphId)) continue;
    const known = `there is no graph '${graphId}'; graphs: ${graphIds.join(', ')}`;
    throw refuse(`a2a.assistants.${graphId}`, known);
  }
  return read;
}

/** The value of `http`. Throws what `refuse` makes. */
export function readHttp(http: unknown, refuse: Refuse): HttpSettings {
  return parseAs('http', httpSettings, http, refuse);
}

/** The parsed value of a key, which is an object when absent; the empty key is the whole file. */
export function parseAs<T>(key: string, schema: z.ZodType<T>, value: unknown, refuse: Refuse): T {
  const parsed = schema.safeParse(value === undefined ? {} : value);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const unknown = issue?.code === 'unrecognized_keys' ? issue.keys.slice(0, 1) : [];
  const path = [key, ...(issue?.path ?? []), ...unknown].map(String).filter((part) => part !== '');
  const problem = unknown.length > 0 ? 'is not a setting of Parley' : (issue?.message ?? 'is not valid');
  throw refuse(path.join('.'), problem, parsed.error);
}
