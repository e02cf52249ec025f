import type { Message } from '@parley/protocol';
import type { Lease, RunPayload } from '../../engine/ports/run.ts';
import type { Database } from './database.ts';
import { keysOf } from './numbered.ts';

/** Statements on the right to carry out a run. */
export interface Leases {
  /** The first runs of their lanes whose time has come, oldest first, claimed. `headOf`: newest checkpoint of a lane. */
  claim(
    by: { worker: string; now: number; until: number; headOf(lane: number): string | null },
    n: number,
  ): Lease[];
  /** Whether `claim` would find one; changes nothing. */
  claimable(now: number): boolean;
  /** `undefined`: lost. */
  renew(lease: Lease, until: number): { cancel: boolean } | undefined;
  /** Back to the queue, still first of its lane. */
  requeue(run: { seq: number }, runAt: number | null, forgetAttempt: boolean): void;
  /** Running runs whose lease ended before `now`; all of them without it. */
  ended(now: number | undefined): { seq: number; runId: string }[];
}

interface ClaimableRow {
  seq: number;
  runId: string;
  taskId: string;
  lane: number;
  owner: string;
  assistantId: string;
  contextId: string;
  epoch: number;
  attempt: number;
  base: string | null;
  queued: number;
  payload: string;
  /** `null`: no message has brought it. */
  message: string | null;
}

export function openLeases({ sqlite }: Database): Leases {
  const claimable = sqlite.prepare<[number, number], ClaimableRow>(
    `SELECT r.seq, r.run_id AS runId, t.task_id AS taskId, r.lane, s.owner, s.assistant_id AS assistantId,
        t.context_id AS contextId, r.epoch, r.attempt, r.base, r.payload, m.body AS message,
        (SELECT count(*) FROM runs q
          WHERE q.lane = r.lane AND q.state IN ('queued', 'running') AND q.state = 'queued' AND q.task = r.task) AS queued
      FROM runs r JOIN tasks t ON t.id = r.task JOIN scopes s ON s.id = t.scope LEFT JOIN messages m ON m.id = r.message
      WHERE r.head = 1 AND r.state = 'queued' AND r.run_at <= ? ORDER BY r.run_at, r.seq LIMIT ? + 0`,
  );
  const isClaimable = sqlite
    .prepare<[number], number>(
      `SELECT 1 FROM runs WHERE head = 1 AND state = 'queued' AND run_at <= ? LIMIT 1`,
    )
    .pluck();
  const claim = sqlite.prepare<[string, number, string | null, number]>(
    `UPDATE runs SET state = 'running', epoch = epoch + 1, attempt = attempt + 1, worker = ?, lease_until = ?, base = ?,
        history_end = coalesce(history_end, (SELECT max(id) FROM messages WHERE id ${keysOf('runs.lane')}))
      WHERE seq = ?`,
  );
  const renew = sqlite.prepare<[number, string, number], { cancel: number }>(
    `UPDATE runs SET lease_until = ? WHERE run_id = ? AND epoch = ? AND state = 'running' RETURNING cancel`,
  );
  const requeue = sqlite.prepare<[number | null, number, number]>(
    `UPDATE runs SET state = 'queued', run_at = coalesce(?, run_at), attempt = attempt - ?, worker = NULL,
      lease_until = NULL WHERE seq = ?`,
  );
  const ended = sqlite.prepare<[number], { seq: number; runId: string }>(
    `SELECT seq, run_id AS runId FROM runs WHERE state IN ('queued', 'running') AND state = 'running' AND lease_until < ?`,
  );

  return {
    claim: ({ worker, now, until, headOf }, n) =>
      claimable.all(now, n).map((row) => {
        // The epoch, not the attempt: a run that was given back has written checkpoints.
        const base = row.epoch === 0 ? headOf(row.lane) : row.base;
        claim.run(worker, until, base, row.seq);
        return leaseOf({ ...row, base });
      }),
    claimable: (now) => isClaimable.get(now) !== undefined,
    renew: (lease, until) => {
      const row = renew.get(until, lease.runId, lease.epoch);
      return row && { cancel: row.cancel === 1 };
    },
    requeue: (run, runAt, forgetAttempt) => {
      requeue.run(runAt, forgetAttempt ? 1 : 0, run.seq);
    },
    ended: (now = Number.MAX_SAFE_INTEGER) => ended.all(now),
  };
}

function leaseOf(row: ClaimableRow): Lease {
  const payload = JSON.parse(row.payload) as RunPayload;
  return {
    runId: row.runId,
    taskId: row.taskId,
    lane: { id: row.lane, owner: row.owner, assistantId: row.assistantId, contextId: row.contextId },
    epoch: row.epoch + 1,
    attempt: row.attempt + 1,
    payload:
      payload.kind === 'message' && row.message !== null
        ? { ...payload, message: JSON.parse(row.message) as Message }
        : payload,
    baseCheckpoint: row.base,
    // The row itself was still queued when it was counted.
    queued: row.queued - 1,
  };
}
