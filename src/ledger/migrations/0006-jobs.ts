// What an operation follows at its upstream, so that a job which is given to two of them is noticed. Only what is still open can
// clash. Operations from before have none until their next event.

export const sql = `
ALTER TABLE operations ADD COLUMN job_address TEXT;
CREATE INDEX operations_by_job ON operations (upstream, job_address, created_at, id)
  WHERE job_address IS NOT NULL AND (ended_at IS NULL OR effects IN ('REQUIRED', 'ESCALATED'));
`;
