/** What a scenario found out, ready to be printed or written as JSON. */
export interface Report {
  scenario: string;
  /** How it was measured, in a line or two. */
  method: string;
  tables: Table[];
  checks: Check[];
  /** What could not be measured, and why. */
  missing: string[];
}

export interface Table {
  title: string;
  columns: string[];
  rows: Cell[][];
}

export type Cell = string | number | undefined;

export interface Check {
  what: string;
  measured: number;
  unit: string;
  /** `held` is measured <= most, or measured >= least. */
  most?: number;
  least?: number;
  held: boolean;
}

export function atMost(what: string, measured: number, most: number, unit: string): Check {
  return { what, measured, unit, most, held: measured <= most };
}

export function atLeast(what: string, measured: number, least: number, unit: string): Check {
  return { what, measured, unit, least, held: measured >= least };
}
