import { appendFileSync, readFileSync } from 'node:fs';

/** A node of a run was entered or left. Beside the database: it tells what really ran. */
export interface Visit {
  /** Of the server process. */
  life: string;
  contextId: string;
  taskId: string;
  way: 'in' | 'out';
}

/** A short line in one write is whole, also when its process is killed. */
export function noteVisit(file: string, visit: Visit): void {
  appendFileSync(file, `${JSON.stringify(visit)}\n`);
}

/** Pairs of tasks of one context that ran at the same time in one process. */
export function overlaps(file: string): string[] {
  const inside = new Map<string, Map<string, number>>();
  const found: string[] = [];
  for (const line of readFileSync(file, 'utf8').split('\n')) {
    if (line === '') continue;
    const { life, contextId, taskId, way } = JSON.parse(line) as Visit;
    const lane = `${life} ${contextId}`;
    const tasks = inside.get(lane) ?? new Map<string, number>();
    inside.set(lane, tasks);
    const here = (tasks.get(taskId) ?? 0) + (way === 'in' ? 1 : -1);
    if (here > 0) tasks.set(taskId, here);
    else tasks.delete(taskId);
    if (tasks.size > 1) found.push(`${lane}: ${[...tasks.keys()].join(' and ')}`);
  }
  return found;
}
