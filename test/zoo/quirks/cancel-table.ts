// Cancels that are refused, lost, or come too late: which species does it, by which quirk.

/** What is told of a cancel that does nothing. */
export const SAID: readonly (readonly [species: string, how: string, says: string])[] = [
  ['predictions', '409', 'The service refused to cancel; the job goes on'],
  ['predictions', '400', 'The service refused to cancel; the job goes on'],
  ['predictions', '403', 'The service refused to cancel; the job goes on'],
  ['predictions', '410', 'The service refused to cancel; the job goes on'],
  ['predictions', '405', 'The service cannot cancel this job; it goes on'],
  ['predictions', '501', 'The service cannot cancel this job; it goes on'],
  ['predictions', '404', 'A cancel was sent to the service, which has not answered it yet'],
  ['predictions', '503', 'A cancel was sent to the service, which has not answered it yet'],
  ['ogc-processes', '409', 'The service refused to cancel; the job goes on'],
  ['aip-151', '409', 'The service refused to cancel; the job goes on'],
];

/** The job ends in the moment in which it is to be cancelled. */
export const LATE: readonly (readonly [species: string, quirk: string])[] = [
  ['predictions', 'cancel-late'],
  ['predictions', 'cancel-late-409'],
  ['predictions', 'cancel-late-404'],
  ['predictions', 'cancel-late-410'],
  ['predictions', 'cancel-late-hangup'],
  ['ogc-processes', 'cancel-late-409'],
  ['ogc-processes', 'cancel-late-404'],
  ['ogc-processes', 'cancel-late-hangup'],
  ['aip-151', 'cancel-late'],
  ['aip-151', 'cancel-late-400'],
];

/** The job is cancelled, though nobody hears so by the answer. */
export const STOPPED: readonly (readonly [species: string, quirk: string, does: string])[] = [
  ['predictions', 'cancel-hangup', 'stopped the job'],
  ['predictions', 'cancel-lost', 'did not reach it, and is sent again'],
  ['ogc-processes', 'cancel-hangup', 'stopped the job'],
  ['ogc-processes', 'cancel-lost', 'did not reach it, and is sent again'],
  ['ogc-processes', 'cancel-deletes-late', 'deleted a job that had just ended'],
];

/** All of these quirks. */
export const CANCELS: readonly string[] = [
  ...SAID.map(([, how]) => `cancel-${how}`),
  ...[...LATE, ...STOPPED].map(([, quirk]) => quirk),
];
