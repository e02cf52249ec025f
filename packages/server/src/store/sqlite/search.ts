import type { Statement } from 'better-sqlite3';
import type { Database } from './database.ts';

/** Terms that have to hold, and the values of their question marks. */
export interface Search {
  where: string[];
  values: (string | number)[];
}

export interface SearchTable<Row> {
  rows(search: Search, order: string, page: { limit: number; offset: number }): Row[];
  count(search: Search): number;
}

/** Statements made of terms, each prepared once. */
export function openSearch<Row>(
  { sqlite }: Database,
  { columns, from }: { columns: string; from: string },
): SearchTable<Row> {
  const statements = new Map<string, Statement<(string | number)[]>>();
  const prepared = (sql: string) => {
    const known = statements.get(sql) ?? sqlite.prepare<(string | number)[]>(sql);
    statements.set(sql, known);
    return known;
  };
  return {
    rows: ({ where, values }, order, { limit, offset }) =>
      prepared(
        `SELECT ${columns} FROM ${from} WHERE ${where.join(' AND ')} ORDER BY ${order} LIMIT ? + 0 OFFSET ? + 0`,
      ).all(...values, limit, offset) as Row[],
    count: ({ where, values }) =>
      (
        prepared(`SELECT count(*) AS n FROM ${from} WHERE ${where.join(' AND ')}`).get(...values) as {
          n: number;
        }
      ).n,
  };
}
