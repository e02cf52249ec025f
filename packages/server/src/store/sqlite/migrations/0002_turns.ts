/** Bare Messages as answers, turns at a time, a turn before a cancel, and what is forgotten in time. */
export const turns = `
-- 1: somebody was shown the task. 0: not yet. -1: its answer was a bare Message, and nobody is shown it any more.
ALTER TABLE tasks ADD COLUMN shown INTEGER NOT NULL DEFAULT 1;
-- Without foreign keys, which cost a look-up per written row and a scan per forgotten task.
CREATE TABLE runs_2 (
  seq INTEGER PRIMARY KEY,        -- order of arrival
  run_id TEXT NOT NULL UNIQUE,
  kind TEXT NOT NULL,
  lane INTEGER NOT NULL,
  task INTEGER NOT NULL,
  message INTEGER NOT NULL,       -- 0: no message has brought it
  message_seq INTEGER NOT NULL,   -- of the event that brought the message
  twin TEXT NOT NULL,             -- equal for repetitions of one message
  state TEXT NOT NULL,            -- queued, running, done, dropped, refused
  head INTEGER NOT NULL,          -- 1: first of the open runs of its lane
  run_at INTEGER NOT NULL,
  attempt INTEGER NOT NULL DEFAULT 0,
  epoch INTEGER NOT NULL DEFAULT 0,
  worker TEXT,
  lease_until INTEGER,
  cancel INTEGER NOT NULL DEFAULT 0,
  cancel_turn TEXT,               -- what the turn is given that follows when it was canceled, JSON
  base TEXT,                      -- newest checkpoint of the thread when first claimed
  history_end INTEGER,            -- newest message when first claimed: what the run finds
  payload TEXT,                   -- without the message; NULL once the run has ended
  refusal TEXT,
  reply INTEGER                   -- the message that was the answer, in the place of a task
) STRICT;
INSERT INTO runs_2
  SELECT seq, run_id, kind, lane, task, message, message_seq, twin, state, head, run_at, attempt, epoch, worker, lease_until,
    cancel, NULL, base, history_end, payload, refusal, NULL FROM runs;
DROP TABLE runs;
ALTER TABLE runs_2 RENAME TO runs;
CREATE INDEX runs_claimable ON runs (run_at, seq) WHERE head = 1 AND state = 'queued';
-- One running a lane.
CREATE UNIQUE INDEX runs_open ON runs (lane, CASE state WHEN 'running' THEN 0 ELSE seq END)
  WHERE state IN ('queued', 'running');
CREATE INDEX runs_by_twin ON runs (twin) WHERE state IN ('queued', 'running');
CREATE INDEX runs_by_task ON runs (task);

CREATE TABLE wakes (
  id INTEGER PRIMARY KEY,
  task INTEGER NOT NULL REFERENCES tasks (id),
  wkey TEXT NOT NULL,             -- what asked for it
  at INTEGER NOT NULL,            -- milliseconds since 1970
  data TEXT NOT NULL,             -- JSON
  UNIQUE (task, wkey)
) STRICT;
CREATE INDEX wakes_by_time ON wakes (at);

-- How far what is done in the order of time has come.
CREATE TABLE watermarks (
  name TEXT PRIMARY KEY,
  at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

DROP TRIGGER tasks_count_end;
CREATE TRIGGER tasks_count_end AFTER UPDATE OF state ON tasks
  WHEN old.state <> new.state AND new.shown >= 0
    AND new.state IN ('TASK_STATE_COMPLETED', 'TASK_STATE_FAILED', 'TASK_STATE_CANCELED', 'TASK_STATE_REJECTED') BEGIN
  INSERT INTO task_counts VALUES (new.scope, new.state, 1) ON CONFLICT DO UPDATE SET n = n + 1;
END;
DROP TRIGGER tasks_count_delete;
CREATE TRIGGER tasks_count_delete AFTER DELETE ON tasks
  WHEN old.shown >= 0
    AND old.state IN ('TASK_STATE_COMPLETED', 'TASK_STATE_FAILED', 'TASK_STATE_CANCELED', 'TASK_STATE_REJECTED') BEGIN
  UPDATE task_counts SET n = n - 1 WHERE scope = old.scope AND state = old.state;
END;
`;
