/** Reading one request: values of the wanted type, or a violation that names the field. */

import { A2AError, type FieldViolation } from '../errors.ts';
import type { JsonObject } from '../model.ts';

const MAX_VIOLATIONS = 20;

/** Violations of one request; `message` replaces the general one. */
interface Faults {
  violations: FieldViolation[];
  message?: string;
}

/** An object of the request and where it stands; `path` is `''` for params, else it ends with a dot. */
export interface Cursor {
  source: { readonly [key: string]: unknown };
  path: string;
  faults: Faults;
}

export function isObject(value: unknown): value is { [key: string]: unknown } {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function fault(at: Cursor, field: string, description: string): undefined {
  if (at.faults.violations.length < MAX_VIOLATIONS) {
    at.faults.violations.push({ field: at.path + field, description });
  }
  return undefined;
}

/** A violation of the object itself. */
export function faultHere(at: Cursor, description: string): undefined {
  return fault({ ...at, path: '' }, at.path.replace(/\.$/, ''), description);
}

/** Runs `read` over params; throws `invalid-params` with everything that it found wrong. */
export function readParams<T>(params: unknown, read: (at: Cursor) => T | undefined): T {
  if (params !== undefined && params !== null && !isObject(params)) {
    throw new A2AError('invalid-params', 'Invalid parameters: params must be an object');
  }
  const faults: Faults = { violations: [] };
  const result = read({ source: params ?? {}, path: '', faults });
  if (faults.violations.length > 0 || result === undefined) {
    throw new A2AError('invalid-params', faults.message, { fieldViolations: faults.violations });
  }
  return result;
}

const snakeNames = new Map<string, string>();

function snakeName(field: string): string {
  let snake = snakeNames.get(field);
  if (snake === undefined) {
    snake = field.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
    snakeNames.set(field, snake);
  }
  return snake;
}

/** Value under the camelCase name, else under the snake_case one (ProtoJSON takes both); null is absent. */
export function readValue(at: Cursor, field: string): unknown {
  return at.source[field] ?? at.source[snakeName(field)] ?? undefined;
}

/** An empty string is absent, as in proto3: official clients send `"contextId": ""`. */
export function readString(at: Cursor, field: string): string | undefined {
  const value = readValue(at, field);
  if (value === undefined || value === '') return undefined;
  return typeof value === 'string' ? value : fault(at, field, 'Must be a string');
}

export function requireString(at: Cursor, field: string): string | undefined {
  const value = readValue(at, field);
  if (value === undefined || value === '') return fault(at, field, 'A non-empty string is required');
  return typeof value === 'string' ? value : fault(at, field, 'Must be a string');
}

export function readBoolean(at: Cursor, field: string): boolean | undefined {
  const value = readValue(at, field);
  return value === undefined || typeof value === 'boolean'
    ? value
    : fault(at, field, 'Must be true or false');
}

const INT32_MAX = 2 ** 31 - 1;

/** An int32 as ProtoJSON has it: a number or a decimal string. */
export function readInteger(
  at: Cursor,
  field: string,
  min: number,
  max: number = INT32_MAX,
): number | undefined {
  const value = readValue(at, field);
  if (value === undefined) return undefined;
  const number = typeof value === 'string' && /^-?\d{1,10}$/.test(value) ? Number(value) : value;
  if (typeof number !== 'number' || !Number.isInteger(number)) return fault(at, field, 'Must be an integer');
  if (number < min) return fault(at, field, `Must be at least ${min}`);
  if (number > max) return fault(at, field, `Must be at most ${max}`);
  return number;
}

/** Kept as it is: keys of metadata belong to the client. */
export function readObject(at: Cursor, field: string): JsonObject | undefined {
  const value = readValue(at, field);
  if (value === undefined) return undefined;
  return isObject(value) ? (value as JsonObject) : fault(at, field, 'Must be an object');
}

/** The cursor of a nested object. */
export function enter(at: Cursor, field: string): Cursor | undefined {
  const source = readObject(at, field);
  return source && { source, path: `${at.path}${field}.`, faults: at.faults };
}

/** An empty list is absent. */
export function readStrings(at: Cursor, field: string): string[] | undefined {
  const value = readValue(at, field);
  if (value === undefined) return undefined;
  if (!Array.isArray(value)) return fault(at, field, 'Must be an array of strings');
  const wrong = value.findIndex((item) => typeof item !== 'string');
  if (wrong >= 0) return fault(at, `${field}[${wrong}]`, 'Must be a string');
  return value.length === 0 ? undefined : (value as string[]);
}

/** Sets what is there: optional fields of the model are absent, never `undefined`. */
export function assign<T extends object>(target: T, fields: { [K in keyof T]?: T[K] | undefined }): T {
  for (const key in fields) {
    if (fields[key] !== undefined) target[key] = fields[key] as T[typeof key];
  }
  return target;
}
