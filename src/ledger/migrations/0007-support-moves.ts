// What measured durations have made of tools: every move of what a tool says about Tasks, with what was measured then. A tool stands
// where its last move left it.

export const sql = `
CREATE TABLE support_moves (
  position INTEGER PRIMARY KEY AUTOINCREMENT,
  upstream TEXT NOT NULL,
  tool TEXT NOT NULL,
  moved_from TEXT NOT NULL CHECK (moved_from IN ('forbidden', 'optional', 'required')),
  moved_to TEXT NOT NULL CHECK (moved_to IN ('forbidden', 'optional', 'required') AND moved_to <> moved_from),
  jobs INTEGER NOT NULL,
  p50_ms INTEGER NOT NULL,
  p95_ms INTEGER NOT NULL,
  longest_ms INTEGER NOT NULL,
  at INTEGER NOT NULL
) STRICT;
CREATE INDEX support_moves_by_tool ON support_moves (upstream, tool, position);
CREATE TRIGGER support_moves_are_not_changed BEFORE UPDATE ON support_moves
  BEGIN SELECT RAISE(ABORT, 'events are append-only'); END;
CREATE TRIGGER support_moves_are_not_removed BEFORE DELETE ON support_moves
  BEGIN SELECT RAISE(ABORT, 'events are kept'); END;
`;
