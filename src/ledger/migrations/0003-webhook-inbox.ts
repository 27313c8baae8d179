// Webhooks: which operation a callback URL belongs to, and the inbox of verified events.

export const sql = `
ALTER TABLE operations ADD COLUMN callback_token TEXT;
CREATE UNIQUE INDEX operations_by_callback_token ON operations (upstream, callback_token) WHERE callback_token IS NOT NULL;

CREATE TABLE webhook_inbox (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  upstream TEXT NOT NULL,
  token TEXT NOT NULL,
  event_key TEXT NOT NULL,
  received_at INTEGER NOT NULL,
  -- A settled row stays this long, so that the same event is recognised.
  expires_at INTEGER NOT NULL,
  due_at INTEGER,
  disposition TEXT CHECK (disposition IN ('applied', 'late', 'duplicate', 'stranger', 'unreadable')),
  -- When the event happened, where it was applied and says so.
  happened_at INTEGER,
  delivery TEXT,
  -- Pending rows are due and hold what came; settled ones hold what became of it.
  CHECK ((due_at IS NULL) = (disposition IS NOT NULL)),
  CHECK ((delivery IS NULL) = (disposition IS NOT NULL))
) STRICT;
CREATE UNIQUE INDEX webhook_inbox_by_event ON webhook_inbox (upstream, event_key);
CREATE INDEX webhook_inbox_pending ON webhook_inbox (due_at, id) WHERE due_at IS NOT NULL;
CREATE INDEX webhook_inbox_waiting ON webhook_inbox (upstream, id) WHERE due_at IS NOT NULL;
CREATE INDEX webhook_inbox_by_token ON webhook_inbox (upstream, token, happened_at) WHERE happened_at IS NOT NULL;
CREATE INDEX webhook_inbox_by_expiry ON webhook_inbox (expires_at);
`;
