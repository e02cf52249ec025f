import type { Message } from '@parley/protocol';
import { Fenced } from '../../engine/fenced.ts';
import type { Lease, RunPayload } from '../../engine/ports.ts';
import type { Database } from './database.ts';

/** Statements on the right to carry out a run. */
export interface Leases {
  /** The first runs of their lanes whose time has come, oldest first, claimed. */
  claim(worker: string, n: number, now: number, until: number): Lease[];
  /** `undefined`: lost. */
  renew(lease: Lease, until: number): { cancel: boolean } | undefined;
  storeBase(lease: Lease, checkpointId: string | null): void;
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
  baseStored: number;
  payload: string;
  message: string;
}

export function openLeases({ sqlite }: Database): Leases {
  const claimable = sqlite.prepare<[number, number], ClaimableRow>(
    `SELECT r.seq, r.run_id AS runId, t.task_id AS taskId, r.lane, t.owner, t.assistant_id AS assistantId,
        t.context_id AS contextId, r.epoch, r.attempt, r.base, r.base_stored AS baseStored, r.payload, m.body AS message
      FROM runs r JOIN tasks t ON t.id = r.task JOIN messages m ON m.position = r.message
      WHERE r.head = 1 AND r.state = 'queued' AND r.run_at <= ? ORDER BY r.run_at, r.seq LIMIT ? + 0`,
  );
  const claim = sqlite.prepare<[string, number, number]>(
    `UPDATE runs SET state = 'running', epoch = epoch + 1, attempt = attempt + 1, worker = ?, lease_until = ?
      WHERE seq = ?`,
  );
  const renew = sqlite.prepare<[number, string, number], { cancel: number }>(
    `UPDATE runs SET lease_until = ? WHERE run_id = ? AND epoch = ? AND state = 'running' RETURNING cancel`,
  );
  const storeBase = sqlite.prepare<[string | null, string, number]>(
    `UPDATE runs SET base = ?, base_stored = 1 WHERE run_id = ? AND epoch = ? AND state = 'running'`,
  );
  const requeue = sqlite.prepare<[number | null, number, number]>(
    `UPDATE runs SET state = 'queued', run_at = coalesce(?, run_at), attempt = attempt - ?, worker = NULL,
      lease_until = NULL WHERE seq = ?`,
  );
  const ended = sqlite.prepare<[number], { seq: number; runId: string }>(
    `SELECT seq, run_id AS runId FROM runs WHERE state = 'running' AND lease_until < ?`,
  );

  return {
    claim: (worker, n, now, until) =>
      claimable.all(now, n).map((row) => {
        claim.run(worker, until, row.seq);
        return leaseOf(row);
      }),
    renew: (lease, until) => {
      const row = renew.get(until, lease.runId, lease.epoch);
      return row && { cancel: row.cancel === 1 };
    },
    storeBase: (lease, checkpointId) => {
      const { changes } = storeBase.run(checkpointId, lease.runId, lease.epoch);
      if (changes === 0) throw new Fenced(lease.runId);
    },
    requeue: (run, runAt, forgetAttempt) => {
      requeue.run(runAt, forgetAttempt ? 1 : 0, run.seq);
    },
    ended: (now = Number.MAX_SAFE_INTEGER) => ended.all(now),
  };
}

function leaseOf(row: ClaimableRow): Lease {
  const message = JSON.parse(row.message) as Message;
  return {
    runId: row.runId,
    taskId: row.taskId,
    lane: { id: row.lane, owner: row.owner, assistantId: row.assistantId, contextId: row.contextId },
    epoch: row.epoch + 1,
    attempt: row.attempt + 1,
    payload: { ...(JSON.parse(row.payload) as Omit<RunPayload, 'message'>), message },
    baseCheckpoint: row.base,
    baseStored: row.baseStored === 1,
  };
}
