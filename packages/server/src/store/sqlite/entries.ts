import { formatTimestamp, isStop, isTerminal, type TaskEvent, type TaskState } from '@parley/protocol';
import type { StoredEvent, Written } from '../../engine/ports/log.ts';
import type { Tables } from './tables.ts';
import type { TaskRow } from './tasks.ts';

/** A task as entries change it. */
interface Touched {
  row: TaskRow;
  events: StoredEvent[];
  newStatus: boolean;
  /** Before the entries. */
  lastMessage: number;
}

const touch = (row: TaskRow): Touched => ({
  row,
  events: [],
  newStatus: false,
  lastMessage: row.lastMessage,
});

/**
 * Appends entries to tasks of a lane, within the caller's transaction: drops those of other lanes, of ended tasks and
 * with known keys, numbers the rest, and brings task rows and snapshots in step. `known`: rows that need no look-up.
 */
export function writeEntries(
  tables: Tables,
  lane: number,
  entries: readonly Written[],
  now: number,
  known: readonly TaskRow[] = [],
): StoredEvent[] {
  const touched = new Map<string, Touched>(known.map((row) => [row.taskId, touch(row)]));
  const all: StoredEvent[] = [];
  for (const entry of entries) {
    const { taskId, key } = entry;
    let task = touched.get(taskId);
    if (!task) {
      const row = tables.tasks.inLane(taskId, lane);
      if (!row) continue;
      task = touch(row);
      touched.set(taskId, task);
    }
    if (isTerminal(task.row.state)) continue;
    if ('wake' in entry) {
      tables.wakes.put(task.row.id, entry);
      continue;
    }
    const event = entry.keepsState ? inState(entry.event, task.row.state) : entry.event;
    const stored = tables.events.add(task.row, key, event, now);
    if (!stored) continue;
    all.push(stored);
    task.events.push(stored);
    if ('statusUpdate' in event) {
      task.row.state = event.statusUpdate.status.state;
      const { timestamp } = event.statusUpdate.status;
      task.row.statusAt = timestamp === undefined ? now : Date.parse(timestamp);
      task.newStatus = true;
    }
  }
  for (const { row, events, newStatus, lastMessage } of touched.values()) {
    if (events.length === 0) continue;
    if (newStatus) settle(tables, row);
    else if (row.lastMessage !== lastMessage) tables.tasks.saveMessages(row);
    tables.snapshots.advance(row, events, newStatus && isStop(row.state));
  }
  return all;
}

function inState(event: TaskEvent, state: TaskState): TaskEvent {
  if (!('statusUpdate' in event)) return event;
  const { statusUpdate } = event;
  return { statusUpdate: { ...statusUpdate, status: { ...statusUpdate.status, state } } };
}

/** Ends are final: nothing of an ended task stays open. */
function settle(tables: Tables, row: TaskRow): void {
  if (isTerminal(row.state)) {
    row.pending = null;
    tables.runs.dropQueued(row.lane, row.id);
  }
  tables.tasks.save(row);
}

/** Ends a task as canceled, within the caller's transaction; its lane needs a `nextHead`. */
export function writeCancel(tables: Tables, row: TaskRow, now: number): StoredEvent[] {
  const { taskId, contextId, lane } = row;
  const status = { state: 'TASK_STATE_CANCELED' as const, timestamp: formatTimestamp(now) };
  return writeEntries(
    tables,
    lane,
    [{ taskId, event: { statusUpdate: { taskId, contextId, status } } }],
    now,
  );
}
