/** LangGraph's store: what agents remember across conversations. */
export const items = `
CREATE TABLE items (
  id INTEGER PRIMARY KEY,
  namespace TEXT NOT NULL,        -- its labels, with dots between
  key TEXT NOT NULL,
  value TEXT NOT NULL,            -- JSON object
  created_at INTEGER NOT NULL,    -- milliseconds since 1970, as the next two
  updated_at INTEGER NOT NULL,
  expires_at INTEGER,
  UNIQUE (namespace, key)
) STRICT;
CREATE INDEX items_by_expiry ON items (expires_at) WHERE expires_at IS NOT NULL;

-- Of the texts of an item that are searched by meaning.
CREATE TABLE item_vectors (
  id INTEGER PRIMARY KEY,
  item INTEGER NOT NULL REFERENCES items (id) ON DELETE CASCADE,
  vector BLOB NOT NULL            -- 32-bit floats of length 1
) STRICT;
CREATE INDEX item_vectors_by_item ON item_vectors (item);
`;
