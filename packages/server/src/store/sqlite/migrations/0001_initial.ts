/**
 * Tasks, events, messages, runs, checkpoints. Every row belongs to a lane, and with it to an owner.
 * Indexes hold numbers where they can: they are what a turn writes most of.
 * `events`, `messages` and the `checkpoint_*` tables carry no foreign keys: each would cost a look-up per written row.
 */
export const initial = `
-- What one caller has with one assistant.
CREATE TABLE scopes (
  id INTEGER PRIMARY KEY,
  owner TEXT NOT NULL,
  assistant_id TEXT NOT NULL,
  UNIQUE (owner, assistant_id)
) STRICT;

CREATE TABLE lanes (
  id INTEGER PRIMARY KEY,
  scope INTEGER NOT NULL REFERENCES scopes (id),
  context_id TEXT NOT NULL,
  UNIQUE (scope, context_id)
) STRICT;

CREATE TABLE tasks (
  id INTEGER PRIMARY KEY,
  task_id TEXT NOT NULL UNIQUE,
  lane INTEGER NOT NULL REFERENCES lanes (id),
  scope INTEGER NOT NULL,         -- its lane's, as context_id
  context_id TEXT NOT NULL,
  state TEXT NOT NULL,
  status_at INTEGER NOT NULL,     -- milliseconds since 1970
  pending TEXT,                   -- open interrupts, JSON; NULL: none
  first_message INTEGER NOT NULL, -- its messages are from here
  last_message INTEGER NOT NULL   -- to here, among others of its lane
) STRICT;
CREATE INDEX tasks_by_time ON tasks (scope, status_at);
CREATE INDEX tasks_by_state ON tasks (scope, state, status_at);
CREATE INDEX tasks_by_lane ON tasks (lane, status_at);
CREATE INDEX tasks_with_questions ON tasks (lane) WHERE pending IS NOT NULL;

-- Ended tasks: the total of a list must not cost by their number. Those that go on are few, and counted.
CREATE TABLE task_counts (
  scope INTEGER NOT NULL,
  state TEXT NOT NULL,
  n INTEGER NOT NULL,
  PRIMARY KEY (scope, state)
) STRICT, WITHOUT ROWID;
CREATE TRIGGER tasks_count_end AFTER UPDATE OF state ON tasks
  WHEN old.state <> new.state AND new.state IN ('TASK_STATE_COMPLETED', 'TASK_STATE_FAILED', 'TASK_STATE_CANCELED', 'TASK_STATE_REJECTED') BEGIN
  INSERT INTO task_counts VALUES (new.scope, new.state, 1) ON CONFLICT DO UPDATE SET n = n + 1;
END;
CREATE TRIGGER tasks_count_delete AFTER DELETE ON tasks WHEN old.state IN ('TASK_STATE_COMPLETED', 'TASK_STATE_FAILED', 'TASK_STATE_CANCELED', 'TASK_STATE_REJECTED') BEGIN
  UPDATE task_counts SET n = n - 1 WHERE scope = old.scope AND state = old.state;
END;

-- The fold of the task's events up to seq, without history. A list reads body and leaves artifacts alone.
CREATE TABLE task_snapshots (
  task INTEGER PRIMARY KEY,
  seq INTEGER NOT NULL,
  body TEXT NOT NULL,
  artifacts TEXT
) STRICT;

-- A message in an event is stored once, in messages; body leaves it out.
CREATE TABLE events (
  id INTEGER PRIMARY KEY,         -- task and seq: numbered.ts
  task INTEGER NOT NULL,
  ekey TEXT,                      -- NULL: it cannot repeat
  body TEXT NOT NULL,
  message INTEGER,
  at INTEGER NOT NULL
) STRICT;
CREATE UNIQUE INDEX events_by_key ON events (task, ekey) WHERE ekey IS NOT NULL;

CREATE TABLE messages (
  id INTEGER PRIMARY KEY,         -- lane and order of arrival: numbered.ts
  task INTEGER NOT NULL,
  body TEXT NOT NULL
) STRICT;

CREATE TABLE runs (
  seq INTEGER PRIMARY KEY,        -- order of arrival
  run_id TEXT NOT NULL UNIQUE,
  kind TEXT NOT NULL,
  lane INTEGER NOT NULL REFERENCES lanes (id),
  task INTEGER NOT NULL REFERENCES tasks (id),
  message INTEGER NOT NULL,
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
  base TEXT,                      -- newest checkpoint of the thread when first claimed
  history_end INTEGER,            -- newest message when first claimed: what the run finds
  payload TEXT,                   -- without the message; NULL once the run has ended
  refusal TEXT
) STRICT;
CREATE INDEX runs_claimable ON runs (run_at, seq) WHERE head = 1 AND state = 'queued';
-- One running a lane.
CREATE UNIQUE INDEX runs_open ON runs (lane, CASE state WHEN 'running' THEN 0 ELSE seq END)
  WHERE state IN ('queued', 'running');
CREATE INDEX runs_by_twin ON runs (twin);

CREATE TABLE requests (
  owner TEXT NOT NULL,
  assistant_id TEXT NOT NULL,
  idempotency_key TEXT NOT NULL,
  digest TEXT NOT NULL,
  run_id TEXT NOT NULL,
  expires_at INTEGER NOT NULL,
  PRIMARY KEY (owner, assistant_id, idempotency_key)
) STRICT, WITHOUT ROWID;
CREATE INDEX requests_by_expiry ON requests (expires_at);

CREATE TABLE checkpoints (
  lane INTEGER NOT NULL,
  ns TEXT NOT NULL,
  checkpoint_id TEXT NOT NULL,
  parent_id TEXT,
  body TEXT NOT NULL,             -- the checkpoint without channel_values
  metadata TEXT NOT NULL,
  refs TEXT NOT NULL,             -- channel -> checkpoint_values.id, JSON
  PRIMARY KEY (lane, ns, checkpoint_id)
) STRICT, WITHOUT ROWID;

CREATE TABLE checkpoint_values (
  lane INTEGER NOT NULL,
  id INTEGER NOT NULL,            -- 1, 2, 3, … per lane
  ns TEXT NOT NULL,
  channel TEXT NOT NULL,
  version TEXT NOT NULL,          -- JSON
  type TEXT NOT NULL,
  body ANY NOT NULL,
  lists TEXT,                     -- where lists of the value were left out, and their items: list-paths.ts
  PRIMARY KEY (lane, id)
) STRICT, WITHOUT ROWID;

CREATE TABLE checkpoint_writes (
  lane INTEGER NOT NULL,
  ns TEXT NOT NULL,
  checkpoint_id TEXT NOT NULL,
  task_id TEXT NOT NULL,
  idx INTEGER NOT NULL,
  path TEXT NOT NULL,
  channel TEXT NOT NULL,
  type TEXT NOT NULL,
  body ANY NOT NULL,
  lists TEXT,
  PRIMARY KEY (lane, ns, checkpoint_id, task_id, idx)
) STRICT, WITHOUT ROWID;

-- Items of long lists, each stored once per lane and list name however many versions hold it.
CREATE TABLE checkpoint_lists (
  id INTEGER PRIMARY KEY,
  lane INTEGER NOT NULL,
  name TEXT NOT NULL,
  UNIQUE (lane, name)
) STRICT;
CREATE TABLE checkpoint_items (
  list INTEGER NOT NULL,
  n INTEGER NOT NULL,
  body TEXT NOT NULL,
  PRIMARY KEY (list, n)
) STRICT, WITHOUT ROWID;
`;
