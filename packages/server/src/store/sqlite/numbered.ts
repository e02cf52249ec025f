/**
 * Rows that are numbered 1, 2, 3, … within something have one integer as their key: what they belong to, then their
 * number. Such a table is filled page by page, where a key of two columns splits pages and writes three for one.
 */
const ROOM = 2 ** 22;

/** The key before the first row of `of`, which is an id below 2³¹. */
export const floorOf = (of: number): number => of * ROOM;

/** The key of the last row that `of` can have. */
export const lastOf = (of: number): number => floorOf(of) + ROOM - 1;

/** The key of row `n` of `of`. Throws if there are too many, which are 4,194,303. */
export function keyOf(of: number, n: number): number {
  if (n >= ROOM) throw new RangeError(`more than ${ROOM - 1} events of a task or messages of a conversation`);
  return floorOf(of) + n;
}

export const numberOf = (key: number): number => key % ROOM;

/** SQL for all keys of what has the id that `id` gives, up to what `upTo` gives. */
export const keysOf = (id: string, upTo?: string): string => {
  const last = `${id} * ${ROOM} + ${ROOM - 1}`;
  return `BETWEEN ${id} * ${ROOM} AND ${upTo === undefined ? last : `min(${last}, ${upTo})`}`;
};

/** SQL for the number in what `key` gives, which may be NULL: 0. */
export const numberIn = (key: string): string => `coalesce(${key} % ${ROOM}, 0)`;
