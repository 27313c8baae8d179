// Operators ask for what is open, and for what ended in a certain way. Both are rare among all that is kept, so each has an
// index of its own that holds only what may be asked for.

export const sql = `
CREATE INDEX operations_by_open_effects ON operations (effects, created_at, id) WHERE effects IN ('REQUIRED', 'ESCALATED');
CREATE INDEX operations_by_outcome ON operations (json_extract(row, '$.receipt.outcome'), created_at, id)
  WHERE ended_at IS NOT NULL;
`;
