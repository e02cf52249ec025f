/** Bare Messages as answers, turns at a time, a turn before a cancel. */
export const turns = `
-- 1: somebody was shown the task. 0: not yet. -1: its answer was a bare Message, and nobody is shown it any more.
ALTER TABLE tasks ADD COLUMN shown INTEGER NOT NULL DEFAULT 1;
-- The message that was the answer, in the place of a task.
ALTER TABLE runs ADD COLUMN reply INTEGER;
-- What the turn is given that follows when this run was canceled, JSON.
ALTER TABLE runs ADD COLUMN cancel_turn TEXT;

CREATE TABLE wakes (
  id INTEGER PRIMARY KEY,
  task INTEGER NOT NULL REFERENCES tasks (id),
  wkey TEXT NOT NULL,             -- what asked for it
  at INTEGER NOT NULL,            -- milliseconds since 1970
  data TEXT NOT NULL,             -- JSON
  UNIQUE (task, wkey)
) STRICT;
CREATE INDEX wakes_by_time ON wakes (at);

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
