import { type Artifact, createFold, type Fold, isTerminal, type Task } from '@parley/protocol';
import type { Snapshot, StoredEvent } from '../../engine/ports/log.ts';
import type { Database } from './database.ts';
import { type Events, withoutHistory } from './events.ts';
import type { Messages } from './messages.ts';
import type { TaskRow } from './tasks.ts';

/**
 * Tasks as the fold of their logs. The fold of a task with a running run stays in memory until the run ends, so a
 * chunk costs what it carries; every other read starts from the stored snapshot.
 */
export interface Snapshots {
  read(row: TaskRow): Snapshot;
  /** The task alone. */
  readTask(row: TaskRow): Task;
  /** As `readTask`, without artifacts; what they cost is not paid. */
  readHead(row: TaskRow): Task;
  /** Keeps the fold of a task of this lane in step with its log. `stop`: the task rests, its snapshot is stored. */
  advance(row: TaskRow, events: readonly StoredEvent[], stop: boolean): void;
  /** Forgets the folds of a lane: its run ended. */
  forget(lane: number): void;
}

interface LiveFold {
  fold: Fold;
  seq: number;
  /** Of the stored snapshot; 0: none. */
  storedSeq: number;
}

interface SnapshotRow {
  seq: number;
  body: string;
  artifacts: string | null;
}

/**
 * Events between two snapshots of a running task, at least; after that the log must have doubled. Folding what is not
 * in a snapshot then costs at most what reading the task costs, and 100,000 chunks of 20 bytes take 10 snapshots and
 * 2.2 s in all. With one every 200 events: 500 snapshots of up to 2 MB, and 5.3 s.
 */
const SNAPSHOT_EVERY = 200;

const PAGE = 1_000;

export function openSnapshots({ sqlite, onEnd }: Database, events: Events, messages: Messages): Snapshots {
  const get = sqlite.prepare<[number], SnapshotRow>(
    'SELECT seq, body, artifacts FROM task_snapshots WHERE task = ?',
  );
  const getHead = sqlite.prepare<[number], { seq: number; body: string }>(
    'SELECT seq, body FROM task_snapshots WHERE task = ?',
  );
  const put = sqlite.prepare<[number, number, string, string | null]>(
    'INSERT OR REPLACE INTO task_snapshots (task, seq, body, artifacts) VALUES (?, ?, ?, ?)',
  );
  const lanes = new Map<number, Map<number, LiveFold>>();
  const advanced = new Set<number>();
  /** Whoever ended them is told the whole task, too. */
  const ended: TaskRow[] = [];

  const load = (row: TaskRow, upTo: number): LiveFold => {
    const stored = upTo === 0 ? undefined : get.get(row.id);
    const storedSeq = stored?.seq ?? 0;
    const live = { fold: createFold(stored && taskOf(stored)), seq: storedSeq, storedSeq };
    catchUp(live, row, upTo);
    return live;
  };
  const catchUp = (live: LiveFold, row: TaskRow, upTo: number): void => {
    while (live.seq < upTo) {
      const page = events.read(row, live.seq, Math.min(PAGE, upTo - live.seq));
      if (page.length === 0) throw new Error(`the log of task ${row.taskId} ends before event ${upTo}`);
      apply(live, page);
    }
  };
  const liveOf = (row: TaskRow, upTo: number): LiveFold => {
    let folds = lanes.get(row.lane);
    if (!folds) {
      folds = new Map();
      lanes.set(row.lane, folds);
    }
    let live = folds.get(row.id);
    if (!live) {
      live = load(row, upTo);
      folds.set(row.id, live);
    }
    return live;
  };
  const folded = (row: TaskRow): Pick<Snapshot, 'task' | 'seq'> => {
    const live = lanes.get(row.lane)?.get(row.id) ?? load(row, row.lastSeq);
    if (live.seq < row.lastSeq) advanced.add(row.lane);
    catchUp(live, row, row.lastSeq);
    const task = live.fold.task();
    if (!task) throw new Error(`task ${row.taskId} has no first event`);
    return { task, seq: live.seq };
  };

  // What a lost transaction or an undone part has advanced is ahead of the log.
  onEnd((end) => {
    if (end !== 'committed') for (const lane of advanced) lanes.delete(lane);
    for (const { lane, id } of ended.splice(0)) lanes.get(lane)?.delete(id);
    advanced.clear();
  });

  return {
    read: (row) => ({ ...folded(row), upTo: messages.newest(row.lane) }),
    readTask: (row) => folded(row).task,
    readHead: (row) => {
      const stored = lanes.get(row.lane)?.has(row.id) ? undefined : getHead.get(row.id);
      if (stored?.seq === row.lastSeq) return JSON.parse(stored.body) as Task;
      const { artifacts: _, ...head } = folded(row).task;
      return head;
    },
    advance: (row, fresh, stop) => {
      advanced.add(row.lane);
      const live = liveOf(row, (fresh[0]?.seq ?? 1) - 1);
      apply(live, fresh);
      const due = live.seq - live.storedSeq >= Math.max(SNAPSHOT_EVERY, live.storedSeq);
      if (!stop && !due) return;
      const { artifacts, ...head } = folded(row).task;
      put.run(row.id, live.seq, JSON.stringify(head), artifacts ? JSON.stringify(artifacts) : null);
      live.storedSeq = live.seq;
      if (isTerminal(row.state)) ended.push(row);
    },
    forget: (lane) => {
      lanes.delete(lane);
    },
  };
}

/** History is not folded: it is read from the messages. */
function apply(live: LiveFold, events: readonly StoredEvent[]): void {
  for (const { seq, event } of events) {
    if (seq <= live.seq) continue;
    live.seq = seq;
    if ('task' in event) live.fold.apply({ task: withoutHistory(event.task) });
    else if (!('history' in event)) live.fold.apply(event);
  }
}

function taskOf({ body, artifacts }: SnapshotRow): Task {
  const head = JSON.parse(body) as Task;
  return artifacts === null ? head : { ...head, artifacts: JSON.parse(artifacts) as Artifact[] };
}
