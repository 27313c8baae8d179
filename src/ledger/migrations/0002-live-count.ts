// A principal's live operations are counted before each new one. Without this index all that the principal has started within
// its retention would be read each time, once for every life that is live.

export const sql = `
CREATE INDEX operations_by_principal_and_life ON operations (principal, life);
`;
