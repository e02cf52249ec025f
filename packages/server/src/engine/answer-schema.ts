import { type Schema, Validator } from '@cfworker/json-schema';
import type { JsonObject, JsonValue } from '@parley/protocol';

/** Where and why a value does not fit a JSON Schema (draft 2020-12, what LangGraph derives from zod); `undefined` if it does. */
export function schemaViolation(
  value: JsonValue,
  schema: JsonObject,
): { path: string; description: string } | undefined {
  const { valid, errors } = new Validator(schema as Schema, '2020-12', false).validate(value);
  if (valid) return undefined;
  // The innermost error comes last and names the member; those before it only say that a part of the schema failed.
  const error = errors.at(-1);
  const path = (error?.instanceLocation ?? '#').slice(1).replaceAll('/', '.');
  return { path, description: error?.error ?? 'does not fit the schema of the question' };
}
