import { isTerminal } from '@parley/protocol';
import type { OwnTurn } from '../../engine/ports/run.ts';
import { newId } from '../new-id.ts';
import type { Tables } from './tables.ts';
import type { TaskRow } from './tasks.ts';

/** Queues a turn that no message brings, within the caller's transaction. */
export function queueTurn(tables: Tables, task: TaskRow, payload: OwnTurn, now: number): void {
  const { lane, id, lastSeq } = task;
  const run = { lane, task: id, message: NO_MESSAGE, messageSeq: lastSeq, twin: '', head: false };
  tables.runs.add({ ...run, runId: newId(), payload, now });
  tables.runs.nextHead(lane);
}

const NO_MESSAGE = 0;

/** Queues the turns whose time has come, within the caller's transaction. */
export function wakeDue(tables: Tables, now: number): void {
  const woken = new Set<number>();
  for (const { id, task, state, data } of tables.wakes.due(now)) {
    // A turn may end in a question, which the next one of the task would lose.
    if (woken.has(task)) continue;
    woken.add(task);
    tables.wakes.remove(id);
    if (isTerminal(state)) continue;
    const row = tables.tasks.get(task);
    if (!row) throw new Error(`wake ${id} has no task`);
    queueTurn(tables, row, { kind: 'wake', followUp: true, stream: true, data: JSON.parse(data) }, now);
  }
}
