import type { Inbound, LaneView } from '../../engine/ports/submission.ts';
import type { Database } from './database.ts';

/** What came in under an `Idempotency-Key`, per caller and assistant. */
export interface Requests {
  find(inbound: Inbound, now: number): LaneView['request'];
  /** In the place of one that has expired. */
  add(inbound: Inbound, runId: string, now: number): void;
}

export function openRequests({ sqlite }: Database): Requests {
  const find = sqlite.prepare<
    [string, string, string, number],
    { digest: string; taskId: string; runId: string }
  >(
    `SELECT q.digest, t.task_id AS taskId, q.run_id AS runId
      FROM requests q JOIN runs r ON r.run_id = q.run_id JOIN tasks t ON t.id = r.task
      WHERE q.owner = ? AND q.assistant_id = ? AND q.idempotency_key = ? AND q.expires_at > ?`,
  );
  const add = sqlite.prepare<[string, string, string, string, string, number]>(
    `INSERT OR REPLACE INTO requests (owner, assistant_id, idempotency_key, digest, run_id, expires_at)
      VALUES (?, ?, ?, ?, ?, ?)`,
  );

  return {
    find: ({ owner, assistantId, request }, now) => request && find.get(owner, assistantId, request.key, now),
    add: ({ owner, assistantId, request }, runId, now) => {
      if (request) add.run(owner, assistantId, request.key, request.digest, runId, now + request.keptMs);
    },
  };
}
