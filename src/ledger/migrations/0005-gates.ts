// Gates: every change is an event, and a gate is its last one. The epoch is given by AUTOINCREMENT: never twice. It begins at 2,
// because 1 is the epoch of what no gate was ever changed for. '' stands for "whatever it is", so that a key can hold it.

export const sql = `
CREATE TABLE gate_events (
  epoch INTEGER PRIMARY KEY AUTOINCREMENT,
  adapter TEXT NOT NULL,
  contract TEXT NOT NULL,
  upstream TEXT NOT NULL DEFAULT '',
  tool TEXT NOT NULL DEFAULT '',
  mode TEXT NOT NULL CHECK (mode IN ('open', 'canary', 'shadow', 'drain')),
  share REAL,
  reason TEXT NOT NULL,
  actor TEXT NOT NULL,
  at INTEGER NOT NULL,
  CHECK ((mode = 'canary') = (share IS NOT NULL))
) STRICT;
CREATE INDEX gate_events_by_place ON gate_events (adapter, contract, upstream, tool, epoch);
CREATE TRIGGER gate_events_are_not_changed BEFORE UPDATE ON gate_events
  BEGIN SELECT RAISE(ABORT, 'events are append-only'); END;
CREATE TRIGGER gate_events_are_not_removed BEFORE DELETE ON gate_events
  BEGIN SELECT RAISE(ABORT, 'events are kept'); END;
INSERT INTO sqlite_sequence (name, seq) VALUES ('gate_events', 1);

CREATE TABLE shadow_answers (
  operation_id TEXT NOT NULL PRIMARY KEY REFERENCES operations (id) ON DELETE CASCADE,
  epoch INTEGER NOT NULL,
  at INTEGER NOT NULL,
  status INTEGER,
  excerpt TEXT NOT NULL
) STRICT, WITHOUT ROWID;
`;
