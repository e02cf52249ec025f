/** Assistants and their versions; what it takes to delete a thread. */
export const assistants = `
CREATE TABLE assistants (
  id TEXT PRIMARY KEY,
  owner TEXT,                     -- NULL: everybody's
  version INTEGER NOT NULL,       -- the one that it is at
  created_at INTEGER NOT NULL,    -- milliseconds since 1970
  updated_at INTEGER NOT NULL
) STRICT;
CREATE TABLE assistant_versions (
  assistant TEXT NOT NULL REFERENCES assistants (id) ON DELETE CASCADE,
  version INTEGER NOT NULL,
  graph_id TEXT NOT NULL,
  name TEXT NOT NULL,
  description TEXT,
  config TEXT NOT NULL,           -- JSON, as the next two
  context TEXT NOT NULL,
  metadata TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  PRIMARY KEY (assistant, version)
) STRICT, WITHOUT ROWID;

ALTER TABLE lanes ADD COLUMN created_at INTEGER NOT NULL DEFAULT 0;
UPDATE lanes SET created_at = coalesce((SELECT min(status_at) FROM tasks WHERE lane = lanes.id), 0);

-- Ids that were given out, up to this one, though the row may be gone: none is given out again.
CREATE TABLE last_ids (
  name TEXT PRIMARY KEY,          -- of the table
  id INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
`;
