import type { FileRef } from '@parley/agent';
import type { Receipt } from './state.ts';

/** Reads a CSV of `item,amount` rows under a header. */
export function readReceipt(file: FileRef): Receipt {
  const [, ...rows] = Buffer.from(file.bytes ?? '', 'base64')
    .toString('utf8')
    .trim()
    .split(/\r?\n/);
  const items = rows.map((row) => {
    const comma = row.lastIndexOf(',');
    return { item: row.slice(0, comma), amount: Number(row.slice(comma + 1)) };
  });
  const wrong = items.findIndex(({ amount }) => !Number.isFinite(amount));
  if (items.length === 0 || wrong !== -1) throw new Error(`row ${wrong + 2} holds no "item,amount"`);
  return { name: file.name ?? 'receipt.csv', items, total: sum(items) };
}

/** The report as CSV. */
export function writeReport(receipt: Receipt, costCenter: string, note: string): string {
  const rows = receipt.items.map(({ item, amount }) => `${item},${amount.toFixed(2)},${costCenter}`);
  return ['item,amount,cost center', ...rows, `total,${receipt.total.toFixed(2)},${note}`, ''].join('\n');
}

function sum(items: { amount: number }[]): number {
  return items.reduce((cents, { amount }) => cents + Math.round(amount * 100), 0) / 100;
}
