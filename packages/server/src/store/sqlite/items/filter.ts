import { type JsonValue, sameJson } from '@parley/protocol';

type Compare = (value: unknown, operand: unknown) => boolean;

/** As in LangGraph's own stores, but that two objects are equal if they say the same. */
const OPERATORS: ReadonlyMap<string, Compare> = new Map<string, Compare>([
  ['$eq', equal],
  ['$ne', (value, operand) => !equal(value, operand)],
  ['$gt', (value, operand) => Number(value) > Number(operand)],
  ['$gte', (value, operand) => Number(value) >= Number(operand)],
  ['$lt', (value, operand) => Number(value) < Number(operand)],
  ['$lte', (value, operand) => Number(value) <= Number(operand)],
  ['$in', (value, operand) => isOneOf(value, operand)],
  ['$nin', (value, operand) => !isOneOf(value, operand)],
]);

/** Whether an item's value is what a search asks for (`SearchOperation.filter`). Throws `TypeError` for an operator that is none. */
export function matchesFilter(
  value: { [key: string]: unknown },
  filter: { [key: string]: unknown },
): boolean {
  return Object.entries(filter).every(([key, wanted]) => {
    const member = Object.hasOwn(value, key) ? value[key] : undefined;
    const operators = operatorsOf(key, wanted);
    if (!operators) return equal(member, wanted);
    return operators.every(([compare, operand]) => compare(member, operand));
  });
}

function operatorsOf(key: string, wanted: unknown): [Compare, unknown][] | undefined {
  if (typeof wanted !== 'object' || wanted === null || Array.isArray(wanted)) return undefined;
  const entries = Object.entries(wanted);
  if (!entries.every(([name]) => name.startsWith('$'))) return undefined;
  return entries.map(([name, operand]) => {
    const compare = OPERATORS.get(name);
    if (compare) return [compare, operand];
    throw new TypeError(
      `filter.${key}: ${name} is no operator; there are ${[...OPERATORS.keys()].join(', ')}`,
    );
  });
}

function equal(value: unknown, other: unknown): boolean {
  return sameJson(value as JsonValue | undefined, other as JsonValue | undefined);
}

function isOneOf(value: unknown, list: unknown): boolean {
  return Array.isArray(list) && list.some((one) => equal(value, one));
}
