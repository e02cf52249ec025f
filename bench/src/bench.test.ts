import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { interleave, median } from './driver/measure.ts';
import { readOptions, SCENARIOS } from './options.ts';
import { printReport } from './report/print.ts';
import { atLeast, atMost, type Report } from './report/report.ts';

const folder = fileURLToPath(new URL('..', import.meta.url));

async function bench(...args: string[]): Promise<{ reports: Report[] }> {
  const node = ['--conditions=@parley/source', '--import=tsx', 'src/main.ts'];
  const { stdout } = await promisify(execFile)(process.execPath, [...node, '--json', ...args], {
    cwd: folder,
  });
  return JSON.parse(stdout) as { reports: Report[] };
}

describe('the bench', () => {
  it('runs every subject of a scenario and finds a figure for each', { timeout: 60_000 }, async () => {
    const { reports } = await bench('--quick', '--only', 'send');
    const [send] = reports;
    expect(send?.missing).toEqual([expect.stringContaining('--dev-server')]);
    expect(send?.tables.map(({ title }) => title)).toEqual(['1 client', '16 clients']);
    for (const { columns, rows } of send?.tables ?? []) {
      expect(rows).toHaveLength(6);
      for (const row of rows) {
        expect(row).toHaveLength(columns.length);
        expect(row.slice(2).every((cell) => typeof cell === 'number' && cell > 0)).toBe(true);
      }
    }
    expect(send?.checks).toHaveLength(6);
  });

  it('ends with 0 and says what it does not know', async () => {
    const node = ['--import=tsx', 'src/main.ts', '--only', 'sned'];
    const { stderr } = await promisify(execFile)(process.execPath, node, { cwd: folder });
    expect(stderr).toContain("there is no scenario 'sned'");
  });

  it('runs all scenarios unless told otherwise', () => {
    expect(readOptions([]).only).toEqual([...SCENARIOS]);
    expect(readOptions(['--only', 'tasks, memory']).only).toEqual(['tasks', 'memory']);
  });
});

describe('figures', () => {
  it('are medians, and of nothing there is none', () => {
    expect(median([3, 1, 2])).toBe(2);
    expect(median([4, 1, 2, 3])).toBe(2.5);
    expect(median([Number.NaN, 7])).toBe(7);
    expect(median([])).toBeNaN();
  });

  it('are taken in turns', async () => {
    const order: string[] = [];
    const turn = (name: string) => ({ name, take: async () => order.push(name) });
    const results = await interleave(2, [turn('a'), turn('b')], () => {});
    expect(order).toEqual(['a', 'b', 'a', 'b']);
    expect([...results.values()].map((taken) => taken.length)).toEqual([2, 2]);
  });

  it('are held against their targets', () => {
    expect(atMost('a', 1.2, 1.25, 'x').held).toBe(true);
    expect(atMost('a', 1.3, 1.25, 'x').held).toBe(false);
    expect(atLeast('a', 31, 30, 'x').held).toBe(true);
  });

  it('are printed as tables of Markdown', () => {
    const text = printReport({
      scenario: 'send',
      method: 'How.',
      tables: [
        {
          title: 'T',
          columns: ['who', 'ms'],
          rows: [
            ['Parley', 1.234],
            ['nobody', undefined],
          ],
        },
      ],
      checks: [atMost('time', 2, 1.25, 'x')],
      missing: ['a server: it did not start'],
    });
    expect(text).toContain('| Parley | 1.23 |\n| nobody |    - |');
    expect(text).toContain('| time |   2.00 x | <= 1.25 x |   NO |');
    expect(text).toContain('NOT MEASURED: a server: it did not start');
  });
});
