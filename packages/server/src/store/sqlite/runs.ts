import { Fenced } from '../../engine/fenced.ts';
import type { Lease, OwnTurn, RunOutcome, RunPayload, RunState } from '../../engine/ports/run.ts';
import type { Database } from './database.ts';
import { parkedIn } from './tasks.ts';

/** A run as its row says. */
export interface RunRow {
  seq: number;
  runId: string;
  lane: number;
  task: number;
  state: RunState;
  messageSeq: number;
  cancel: number;
  /** `OwnTurn` as JSON: it follows when the run was canceled. */
  cancelTurn: string | null;
}

export interface NewRun {
  runId: string;
  lane: number;
  task: number;
  message: number;
  messageSeq: number;
  twin: string;
  head: boolean;
  now: number;
  payload: RunPayload;
  /** Set: the run is running from the first. */
  claim?: { worker: string; until: number; base: string | null };
}

export interface Runs {
  add(run: NewRun): void;
  get(runId: string): RunRow | undefined;
  outcome(runId: string): RunOutcome | undefined;
  /** The run of a lease that still holds; throws `Fenced`. */
  held(lease: Lease): RunRow;
  /** Runs of the lane; `heads`: 1 if one of them has the turn, or is running. */
  open(lane: number): { queued: number; heads: number };
  runningOf(lane: number, task: number): RunRow | undefined;
  waitingOf(lane: number, task: number): boolean;
  /** An earlier run with the same message: of this task, or an open one of this caller and assistant. */
  twinOf(twin: string, task: number | undefined): { taskId: string; runId: string } | undefined;
  /** After `end`, `drop` and `dropQueued` the lane needs a `nextHead`, in the same transaction. */
  end(run: RunRow, state: 'done' | 'refused', refusal: string | null): void;
  /** `message`: the id of the bare Message that answered it. */
  setReply(run: RunRow, message: number): void;
  dropQueued(lane: number, task: number): void;
  drop(run: RunRow): void;
  /**
   * Gives the turn to the oldest run of a lane, which keeps it until its end, unless one has it. While a task waits for
   * answers only a run of that task has a turn. `task`: only its runs, whatever the questions.
   */
  nextHead(lane: number, task?: number): void;
  setCancel(run: RunRow, turn: OwnTurn | undefined): void;
  /** Whether the turn before the end of a canceled task is queued or running. */
  cancelTurnOf(lane: number, task: number): boolean;
}

/** State, epoch, attempt, worker, lease_until, base, history_end. */
type Claim = [
  'queued' | 'running',
  number,
  number,
  string | null,
  number | null,
  string | null,
  number | null,
];

const COLUMNS =
  'seq, run_id AS runId, lane, task, state, message_seq AS messageSeq, cancel, cancel_turn AS cancelTurn';

export function openRuns({ sqlite }: Database): Runs {
  const add = sqlite.prepare<
    [string, string, number, number, number, number, string, number, number, string, ...Claim]
  >(
    `INSERT INTO runs (run_id, kind, lane, task, message, message_seq, twin, head, run_at, payload,
        state, epoch, attempt, worker, lease_until, base, history_end)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  );
  const get = sqlite.prepare<[string], RunRow>(`SELECT ${COLUMNS} FROM runs WHERE run_id = ?`);
  const outcome = sqlite.prepare<[string], { state: RunState; refusal: string | null; reply: string | null }>(
    `SELECT r.state, r.refusal, m.body AS reply FROM runs r LEFT JOIN messages m ON m.id = r.reply
      WHERE r.run_id = ?`,
  );
  const held = sqlite.prepare<[string, number], RunRow>(
    `SELECT ${COLUMNS} FROM runs WHERE run_id = ? AND epoch = ? AND state = 'running'`,
  );
  const open = sqlite.prepare<[number], { queued: number; heads: number }>(
    `SELECT count(*) FILTER (WHERE state = 'queued') AS queued, count(*) FILTER (WHERE head = 1) AS heads
      FROM runs WHERE lane = ? AND state IN ('queued', 'running')`,
  );
  const openOf = (state: 'queued' | 'running') =>
    sqlite.prepare<[number, number], RunRow>(
      `SELECT ${COLUMNS} FROM runs
        WHERE lane = ? AND state IN ('queued', 'running') AND state = '${state}' AND task = ? LIMIT 1`,
    );
  const running = openOf('running');
  const waiting = openOf('queued');
  const twinOfTask = sqlite.prepare<[string, number], { taskId: string; runId: string }>(
    `SELECT t.task_id AS taskId, r.run_id AS runId FROM runs r JOIN tasks t ON t.id = r.task
      WHERE r.twin = ? AND r.task = ? ORDER BY r.seq LIMIT 1`,
  );
  const openTwin = sqlite.prepare<[string], { taskId: string; runId: string }>(
    `SELECT t.task_id AS taskId, r.run_id AS runId FROM runs r JOIN tasks t ON t.id = r.task
      WHERE r.twin = ? AND r.state IN ('queued', 'running') ORDER BY r.seq LIMIT 1`,
  );
  const end = sqlite.prepare<[string, string | null, number]>(
    `UPDATE runs SET state = ?, refusal = ?, head = 0, worker = NULL, lease_until = NULL, payload = NULL
      WHERE seq = ?`,
  );
  const setReply = sqlite.prepare<[number, number]>('UPDATE runs SET reply = ? WHERE seq = ?');
  const dropQueued = sqlite.prepare<[number, number]>(
    `UPDATE runs SET state = 'dropped', head = 0, payload = NULL
      WHERE lane = ? AND state IN ('queued', 'running') AND state = 'queued' AND task = ?`,
  );
  const isOpen = sqlite
    .prepare<[number], number>(`SELECT 1 FROM runs WHERE lane = ? AND state IN ('queued', 'running') LIMIT 1`)
    .pluck();
  const nextHead = sqlite.prepare<{ lane: number; task: number | null }>(
    `UPDATE runs SET head = 1 WHERE seq =
        (SELECT seq FROM runs WHERE lane = :lane AND state IN ('queued', 'running')
          AND task = coalesce(:task, (${parkedIn(':lane')}), task) ORDER BY seq LIMIT 1)
      AND NOT EXISTS (SELECT 1 FROM runs WHERE lane = :lane AND state IN ('queued', 'running') AND head = 1)`,
  );
  const setCancel = sqlite.prepare<[string | null, number]>(
    'UPDATE runs SET cancel = 1, cancel_turn = coalesce(cancel_turn, ?) WHERE seq = ?',
  );
  const cancelTurnOf = sqlite
    .prepare<[number, number], number>(
      `SELECT 1 FROM runs WHERE lane = ? AND state IN ('queued', 'running') AND task = ? AND kind = 'cancel'`,
    )
    .pluck();

  return {
    add: (run) => {
      const { message: _, ...payload } = { message: undefined, ...run.payload };
      const { kind } = payload;
      const { runId, lane, task, message, messageSeq, twin, head, now, claim } = run;
      const state: Claim = claim
        ? ['running', 1, 1, claim.worker, claim.until, claim.base, message]
        : ['queued', 0, 0, null, null, null, null];
      add.run(
        runId,
        kind,
        lane,
        task,
        message,
        messageSeq,
        twin,
        head ? 1 : 0,
        now,
        JSON.stringify(payload),
        ...state,
      );
    },
    get: (runId) => get.get(runId),
    outcome: (runId) => {
      const row = outcome.get(runId);
      if (!row) return undefined;
      return {
        state: row.state,
        ...(row.refusal === null ? {} : { refusal: JSON.parse(row.refusal) }),
        ...(row.reply === null ? {} : { reply: JSON.parse(row.reply) }),
      };
    },
    held: (lease) => {
      const run = held.get(lease.runId, lease.epoch);
      if (!run) throw new Fenced(lease.runId);
      return run;
    },
    open: (lane) => open.get(lane) ?? { queued: 0, heads: 0 },
    runningOf: (lane, task) => running.get(lane, task),
    waitingOf: (lane, task) => waiting.get(lane, task) !== undefined,
    twinOf: (twin, task) => (task === undefined ? openTwin.get(twin) : twinOfTask.get(twin, task)),
    end: (run, state, refusal) => {
      end.run(state, refusal, run.seq);
    },
    setReply: (run, message) => {
      setReply.run(message, run.seq);
    },
    dropQueued: (lane, task) => {
      if (isOpen.get(lane) !== undefined) dropQueued.run(lane, task);
    },
    drop: (run) => {
      end.run('dropped', null, run.seq);
    },
    nextHead: (lane, task) => {
      if (isOpen.get(lane) !== undefined) nextHead.run({ lane, task: task ?? null });
    },
    setCancel: (run, turn) => {
      setCancel.run(turn ? JSON.stringify(turn) : null, run.seq);
    },
    cancelTurnOf: (lane, task) => cancelTurnOf.get(lane, task) !== undefined,
  };
}
