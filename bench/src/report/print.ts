import type { Cell, Check, Report, Table } from './report.ts';

export function printReport({ scenario, method, tables, checks, missing }: Report): string {
  const parts = [`## ${scenario}`, method, ...tables.map(printTable)];
  if (checks.length > 0) parts.push(printChecks(checks));
  for (const line of missing) parts.push(`NOT MEASURED: ${line}`);
  return `${parts.join('\n\n')}\n`;
}

/** A Markdown table, so that a figure can be pasted as it is. */
export function printTable({ title, columns, rows }: Table): string {
  const cells = [columns, ...rows.map((row) => row.map(printCell))];
  const widths = columns.map((_, column) => Math.max(...cells.map((row) => row[column]?.length ?? 0)));
  const line = (row: string[]): string => {
    const padded = row.map((cell, column) =>
      column === 0 ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0),
    );
    return `| ${padded.join(' | ')} |`;
  };
  const rule = `|${widths.map((width, column) => (column === 0 ? '-'.repeat(width + 2) : `${'-'.repeat(width + 1)}:`)).join('|')}|`;
  const [head = [], ...body] = cells;
  return [`**${title}**`, '', line(head), rule, ...body.map(line)].join('\n');
}

function printChecks(checks: Check[]): string {
  return printTable({
    title: 'Targets',
    columns: ['what', 'measured', 'target', 'held'],
    rows: checks.map(({ what, measured, unit, most, least, held }) => [
      what,
      `${printNumber(measured)} ${unit}`,
      most === undefined ? `>= ${least} ${unit}` : `<= ${most} ${unit}`,
      held ? 'yes' : 'NO',
    ]),
  });
}

function printCell(cell: Cell): string {
  return typeof cell === 'number' ? printNumber(cell) : (cell ?? '-');
}

/** Three digits that matter. */
function printNumber(value: number): string {
  if (Number.isNaN(value)) return '-';
  const size = Math.abs(value);
  return value.toFixed(size >= 100 ? 0 : size >= 10 ? 1 : size >= 1 ? 2 : 3);
}
