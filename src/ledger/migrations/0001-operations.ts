// The first schema: operations, their events, receipts, outbox, due work, descriptors and blobs.
// Instants are milliseconds since 1970. The rows are kept as JSON text, so that ids and amounts keep their digits;
// columns beside them are what is searched by.

import { CANCELLATION, EFFECTS, FINAL, INPUT, LIFE, WORK } from '../../core/transitions.ts';

const list = (words: readonly string[]) => words.map((word) => `'${word}'`).join(', ');

export const sql = `
CREATE TABLE operations (
  id TEXT NOT NULL PRIMARY KEY,
  seq INTEGER NOT NULL CHECK (seq >= 1),
  life TEXT NOT NULL CHECK (life IN (${list(LIFE)})),
  cancellation TEXT NOT NULL CHECK (cancellation IN (${list(CANCELLATION)})),
  effects TEXT NOT NULL CHECK (effects IN (${list(EFFECTS)})),
  input TEXT NOT NULL CHECK (input IN (${list(INPUT)})),
  principal TEXT NOT NULL,
  upstream TEXT NOT NULL,
  tool TEXT NOT NULL,
  contract TEXT NOT NULL,
  caller_key TEXT,
  created_at INTEGER NOT NULL,
  ended_at INTEGER,
  expires_at INTEGER,
  -- 1 while something is due or may become due: live, or ended with effects to follow.
  open INTEGER NOT NULL GENERATED ALWAYS AS (ended_at IS NULL OR effects = 'REQUIRED') STORED,
  row TEXT NOT NULL,
  -- No receipt, no final life; and no final life without one.
  CHECK ((ended_at IS NOT NULL) = (life IN (${list(FINAL)}))),
  CHECK ((ended_at IS NULL) = (expires_at IS NULL))
) STRICT;
CREATE UNIQUE INDEX operations_by_caller_key ON operations (principal, tool, caller_key) WHERE caller_key IS NOT NULL;
CREATE INDEX operations_by_creation ON operations (created_at, id);
CREATE INDEX operations_by_principal ON operations (principal, created_at, id);
CREATE INDEX operations_by_upstream ON operations (upstream, created_at, id);
CREATE INDEX operations_by_life ON operations (life, created_at, id);
CREATE INDEX operations_open ON operations (id) WHERE open = 1;
CREATE INDEX operations_by_expiry ON operations (expires_at) WHERE open = 0;

CREATE TABLE operation_events (
  operation_id TEXT NOT NULL REFERENCES operations (id) ON DELETE CASCADE,
  seq INTEGER NOT NULL CHECK (seq >= 1),
  type TEXT NOT NULL,
  at INTEGER NOT NULL,
  disposition TEXT NOT NULL CHECK (disposition IN ('applied', 'late')),
  evidence_id TEXT,
  -- The digest of a result that is kept in the blob store.
  blob TEXT,
  event TEXT NOT NULL,
  UNIQUE (operation_id, seq)
) STRICT;
CREATE UNIQUE INDEX operation_events_by_evidence ON operation_events (operation_id, evidence_id) WHERE evidence_id IS NOT NULL;
CREATE INDEX operation_events_by_blob ON operation_events (blob) WHERE blob IS NOT NULL;
CREATE TRIGGER operation_events_are_not_changed BEFORE UPDATE ON operation_events
  BEGIN SELECT RAISE(ABORT, 'events are append-only'); END;
CREATE TRIGGER operation_events_are_not_removed BEFORE DELETE ON operation_events
  WHEN EXISTS (SELECT 1 FROM operations WHERE id = OLD.operation_id)
  BEGIN SELECT RAISE(ABORT, 'events are kept as long as their operation'); END;

CREATE TABLE receipts (
  operation_id TEXT NOT NULL PRIMARY KEY REFERENCES operations (id) ON DELETE CASCADE,
  id TEXT NOT NULL UNIQUE,
  at INTEGER NOT NULL,
  outcome TEXT NOT NULL CHECK (outcome IN ('succeeded', 'failed', 'cancelled', 'unknown')),
  receipt TEXT NOT NULL
) STRICT;

-- AUTOINCREMENT: a position is never given twice, even after the last row was deleted.
CREATE TABLE outbox (
  position INTEGER PRIMARY KEY AUTOINCREMENT,
  operation_id TEXT NOT NULL UNIQUE REFERENCES receipts (operation_id) ON DELETE CASCADE
) STRICT;

CREATE TABLE work (
  operation_id TEXT NOT NULL REFERENCES operations (id) ON DELETE CASCADE,
  kind TEXT NOT NULL CHECK (kind IN (${list(WORK)})),
  upstream TEXT NOT NULL,
  -- As the machine derived it; due_at is later where a worker rescheduled.
  derived_at INTEGER NOT NULL,
  due_at INTEGER NOT NULL,
  -- The holder's fencing token; NULL while nobody holds it.
  token INTEGER,
  lease_until INTEGER,
  tries INTEGER NOT NULL DEFAULT 0,
  ready_at INTEGER NOT NULL GENERATED ALWAYS AS (max(due_at, coalesce(lease_until, due_at))) STORED,
  PRIMARY KEY (operation_id, kind),
  CHECK ((token IS NULL) = (lease_until IS NULL))
) STRICT, WITHOUT ROWID;
CREATE INDEX work_by_upstream ON work (upstream, kind, ready_at);
CREATE INDEX work_by_readiness ON work (ready_at);

-- Numbers that must outlive the rows they were made for: the last fencing token, the last ping.
CREATE TABLE counters (name TEXT NOT NULL PRIMARY KEY, value INTEGER NOT NULL) STRICT;
INSERT INTO counters (name, value) VALUES ('token', 0), ('ping', 0);

CREATE TABLE descriptors (digest TEXT NOT NULL PRIMARY KEY, descriptor TEXT NOT NULL) STRICT;

CREATE TABLE blobs (
  digest TEXT NOT NULL PRIMARY KEY,
  body TEXT NOT NULL,
  put_at INTEGER NOT NULL,
  -- 1 while an event names it. A blob is put before the event that names it is written.
  named INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE INDEX blobs_unnamed ON blobs (put_at) WHERE named = 0;
`;
