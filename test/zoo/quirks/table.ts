// What services do now and then, and what comes of it: which species does it, by which quirk, and what its caller is told.
// docs/quirks.md is this table for people, and a test holds the two together.

import { FAILURES, WHY } from './failure.ts';

/** A quirk that its caller never hears of: the result comes, of one job. */
export type Unheard = readonly [species: string, quirk: string, does: string];

const RESULT_SPOILT = ['html', 'truncated', 'empty', 'hangup', '202', '400', '401', '404', '409', '424', '503'];

/** What is done with a delivery, by quirk. */
const DELIVERED: Readonly<Record<string, string>> = {
  early: 'calls back before it answers the submit',
  twice: 'calls back twice',
  'twice-at-once': 'calls back twice at one moment',
  reordered: 'calls back with news after the end',
  'emitted-again': 'says everything twice, each time under another id',
  forged: 'is imitated by somebody without its secret, before it calls back',
  stale: 'is imitated by somebody who has an old failure of it',
  'from-the-future': 'is imitated by somebody whose failure is signed for later',
  tampered: 'has its end changed on the way into a failure, before it calls back itself',
  'of-another': 'tells of the failure of another job as well',
  zipped: 'calls back in gzip',
  'two-secrets': 'signs with a former secret as well',
};

/** Callers whose deliveries are more than a token and JSON, and what is done with them. */
const SIGNED: readonly (readonly [species: string, quirks: readonly string[]])[] = [
  ['callback-signed', Object.keys(DELIVERED)],
  ['callback-in-one-header', Object.keys(DELIVERED)],
  [
    'callback-by-published-key',
    ['early', 'twice-at-once', 'forged', 'stale', 'from-the-future', 'tampered', 'of-another', 'zipped'],
  ],
  ['callback-by-notification', ['early', 'twice', 'forged', 'stale', 'from-the-future', 'tampered', 'of-another', 'zipped']],
  ['callback-by-signed-token', ['early', 'twice', 'forged', 'stale', 'from-the-future', 'tampered', 'of-another', 'zipped']],
  ['callback-by-cloud-event', ['early', 'twice', 'forged', 'of-another', 'emitted-again', 'zipped']],
  ['callback-after-probe', ['early', 'forged', 'tampered', 'zipped', 'two-secrets']],
  ['callback-as-form', ['early', 'twice', 'reordered', 'forged', 'tampered', 'of-another', 'zipped']],
  ['callback-in-batches', ['early', 'twice', 'twice-at-once', 'forged', 'of-another', 'emitted-again']],
  ['callback-in-lists', ['early', 'twice', 'forged', 'of-another', 'emitted-again']],
];

export const UNHEARD: readonly Unheard[] = [
  // -- the submit
  ['transcripts', 'busy', 'is too busy for the first submit'],
  ['run-that-says-when', 'in-progress', 'runs something else, and says so by a 409'],
  ['keyed-exports', 'unavailable', 'answers the first submit with 503'],
  ['keyed-exports', 'lost-submit', 'makes the job, and its answer is lost: a key finds it again'],
  ['runs-by-our-id', 'lost-submit', 'makes the job under our id, and its answer is lost: it is put there again'],
  ['callback-only', 'lost-submit', 'makes the job, and its answer is lost: the callback tells of it'],
  ['listed-jobs', 'lost-submit', 'makes the job, and its answer is lost: a list shows the job with our key'],
  ['aip-151', 'nameless', 'is done at once, and names nothing'],
  ['async-search', 'nameless', 'is done at once, and names nothing'],
  ['arm-location', 'itself', 'answers 201 with the address of what it made, which has no status'],
  ['arm-location', 'blank', 'says that it answers in JSON, and sends nothing, as long as the job runs'],
  ['arm-location', 'capital-headers', 'writes its headers in capitals'],
  ['operation-location', 'other-version', 'names an address with another api-version than is described'],
  // -- what it is given
  ['bulk-ingest', 'step-lost', 'takes the rows, and its answer is lost'],
  ['openeo-whole', 'step-lost', 'begins, and its answer is lost'],
  // -- where the job is asked for
  ['arm-location', 'moves', 'names a new address with the first look'],
  ['arm-location', 'misleads', 'names an address on a host of somebody else'],
  ['transcripts', 'redirected', 'sends the first look on to another address of its own'],
  ['transcripts', 'redirected-away', 'sends the first look on to an address inside a network'],
  ['monitor-over-tls', 'redirected-down', 'sends the first look on to an address without https'],
  ['monitor-over-tls', 'downgrades', 'names a new address without https'],
  // -- the look
  ['transcripts', '503', 'answers 503 once'],
  ['transcripts', '429', 'answers 429 once'],
  ['transcripts', '401', 'answers 401 once'],
  ['transcripts', '403', 'answers 403 once'],
  ['transcripts', '408', 'answers 408 once'],
  ['transcripts', '404', 'does not show the job at once'],
  ['transcripts', 'truncated', 'sends half of an answer'],
  ['transcripts', 'empty', 'sends an empty answer'],
  ['transcripts', 'html', 'sends a login page'],
  ['transcripts', 'hangup', 'hangs up'],
  ['transcripts', 'vanishes', 'forgets the job for a moment'],
  ['transcripts', 'shouting', 'writes its words in capitals'],
  ['transcripts', 'news', 'has a word that nobody knows'],
  ['transcripts', 'cancelling', 'has a word that begins like another one'],
  ['transcripts', 'backwards', 'goes back to an earlier state'],
  ['transcripts', 'forgets', 'forgets the job as soon as it has told of its end'],
  ['ogc-processes', 'falls', 'has less done than before'],
  ['see-other', 'found', 'says 302 where another says 303'],
  ['aip-151-wait', 'wait-504', 'ends a long poll with 504'],
  ['compute-wait', 'wait-hangup', 'hangs up in a long poll'],
  // -- the result
  ['pages-by-number', 'fetch-503', 'has no rows for a moment'],
  ...RESULT_SPOILT.map((how) => ['ogc-processes', `fetch-${how}`, `at first answers ${how} where the result is`] as const),
  ['ogc-processes', 'forgets', 'forgets the job before its result was fetched, and has the result'],
  ['signed-files', 'signature-ran-out', 'signs a URL that runs out before it is fetched'],
  // -- when to look again
  ['transcripts', 'retry-after-zero', 'says Retry-After: 0'],
  ['transcripts', 'retry-after-negative', 'says Retry-After: -5'],
  ['transcripts', 'retry-after-decimal', 'says Retry-After: 0.1'],
  ['transcripts', 'retry-after-past', 'says Retry-After with a date that is past'],
  ['transcripts', 'retry-after-word', 'says Retry-After: soon'],
  ['transcripts', 'retry-after-huge', 'says Retry-After: 99999999999'],
  ['patient-transcripts', 'retry-info', 'answers 429, and says when in the details of the error'],
  ['patient-transcripts', 'retry-after-date', 'says Retry-After with a date'],
  ['patient-transcripts', 'retry-after-old-date', 'says Retry-After with a date in the form of old programs'],
  ['patient-transcripts', 'retry-after-varies', 'says another Retry-After each time'],
  ['patient-transcripts', 'retry-after-timestamp', 'says Retry-After with a date that is no HTTP date'],
  // -- the callback
  ...['callback-only', 'callback-as-hint', 'callback-beside-polls'].flatMap((caller) =>
    [
      ['early', 'calls back before it answers the submit'],
      ['twice', 'calls back twice'],
      ['twice-at-once', 'calls back twice at one moment'],
      ['reordered', 'calls back with news after the end'],
      ['forged', 'is imitated by somebody without the secret, before it calls back'],
    ].map(([quirk = '', does = '']) => [caller, quirk, does] as const),
  ),
  ...SIGNED.flatMap(([caller, quirks]) => quirks.map((quirk) => [caller, quirk, DELIVERED[quirk] ?? ''] as const)),
  ['callback-by-token', 'alias', 'calls back with an id that its answer did not name'],
  ['callback-as-hint', '404', 'calls back before the job can be seen'],
  ['callback-beside-polls', 'lost-callback', 'does not call back'],
];

/** A quirk that its caller hears of. */
export interface Heard {
  readonly species: string;
  readonly quirk: string;
  readonly does: string;
  /** The outcome; `nothing` is a success without a value, `partial` one that says so. */
  readonly comesTo: 'nothing' | 'partial' | 'failed' | 'unknown';
  /** What the caller reads. */
  readonly says: readonly string[];
  /** Jobs at the service; default: one. */
  readonly jobs?: 0;
  /** The job is only waited for as long as it takes to see that nothing comes. */
  readonly isShort?: true;
}

/** What a caller is told of a job that succeeded, and whose result can't be had. */
const LOST = ['could not be read', 'succeeded'];

export const HEARD: readonly Heard[] = [
  // -- the submit
  {
    species: 'transcripts',
    quirk: 'lost-submit',
    does: 'makes the job, and its answer is lost; nothing finds it again',
    comesTo: 'unknown',
    says: ['the job may have been started', 'It will not be sent again'],
  },
  {
    species: 'transcripts',
    quirk: 'unavailable',
    does: 'answers the submit with 503',
    comesTo: 'unknown',
    says: ['503', 'It will not be sent again'],
    jobs: 0,
  },
  {
    species: 'arm-location',
    quirk: 'unnamed',
    does: 'takes the job, and does not say where it is',
    comesTo: 'unknown',
    says: ['accepted without a handle', 'It will not be sent again'],
  },
  {
    species: 'arm-location',
    quirk: 'foreign-status',
    does: 'says that the job is at an address inside a network',
    comesTo: 'unknown',
    says: ['http://169.254.169.254 is not allowed', 'It will not be sent again'],
  },
  {
    species: 'monitor-over-tls',
    quirk: 'downgrade',
    does: 'is asked by https, and says that the job is at an address without it, on a host that is allowed',
    comesTo: 'unknown',
    says: ['it leaves https', 'It will not be sent again'],
  },
  ...['transcripts', 'arm-location', 'same-request'].map(
    (species) =>
      ({
        species,
        quirk: 'nothing-to-do',
        does: 'answers the submit with 204: there is nothing to do',
        comesTo: 'nothing',
        says: ['finished without a result'],
        jobs: 0,
      }) as const,
  ),
  // -- the look
  ...['transcripts', 'arm-location', 'same-request', 'ogc-processes'].map(
    (species) =>
      ({
        species,
        quirk: 'nothing-left',
        does: 'answers the look with 204: nothing came of it',
        comesTo: 'nothing',
        says: ['finished without a result'],
      }) as const,
  ),
  ...['401', '403'].map(
    (code) =>
      ({
        species: 'transcripts',
        quirk: `denied-${code}`,
        does: `shows the job once and then answers ${code} for good`,
        comesTo: 'unknown',
        says: ['its status could not be read', `answered ${code}`],
        isShort: true,
      }) as const,
  ),
  ...['404', '410'].map(
    (code) =>
      ({
        species: 'transcripts',
        quirk: `gone-${code}`,
        does: `shows the job once and then answers ${code} for good`,
        comesTo: 'unknown',
        says: ['no longer known'],
      }) as const,
  ),
  {
    species: 'arm-location',
    quirk: 'strays',
    does: 'names a new address where nothing is',
    comesTo: 'unknown',
    says: ['no longer known'],
  },
  {
    species: 'transcripts',
    quirk: 'forgets-the-word',
    does: 'shows the job once and then says UNKNOWN for good',
    comesTo: 'unknown',
    says: ['"UNKNOWN"'],
    isShort: true,
  },
  // -- the end
  {
    species: 'aip-151',
    quirk: 'valueless',
    does: 'is done, with neither a response nor an error',
    comesTo: 'nothing',
    says: ['finished without a result'],
  },
  {
    species: 'aip-151',
    quirk: 'both',
    does: 'is done, with a response and an error',
    comesTo: 'failed',
    says: ['the last page is missing'],
  },
  {
    species: 'batches',
    quirk: 'some-errors',
    does: 'is completed, with a file of results and one of errors',
    comesTo: 'partial',
    says: ['This result is partial', '"custom_id":'],
  },
  {
    species: 'batches',
    quirk: 'only-errors',
    does: 'is completed, with a file of errors and none of results',
    comesTo: 'failed',
    says: ['left no result'],
  },
  {
    species: 'predictions-for-an-hour',
    quirk: 'removed',
    does: 'is asked so late that it has removed what the job gave',
    comesTo: 'unknown',
    says: ['"succeeded: true"'],
  },
  ...FAILURES.map(
    (quirk) =>
      ({
        species: 'transcripts',
        quirk,
        does: 'fails, and says why in a form of its own',
        comesTo: 'failed',
        says: [WHY],
      }) as const,
  ),
  // -- the result
  ...['404', '410', '403', 'html'].map(
    (how) =>
      ({
        species: 'ogc-processes',
        quirk: `never-${how}`,
        does: `says that the job succeeded, and answers ${how} where its result is, for good`,
        comesTo: 'unknown',
        says: LOST,
      }) as const,
  ),
  {
    species: 'ogc-processes',
    quirk: 'never-204',
    does: 'says that the job succeeded, and answers 204 where its result is',
    comesTo: 'nothing',
    says: ['finished without a result'],
  },
  {
    species: 'ogc-processes',
    quirk: 'forgets-all',
    does: 'forgets the job and its result as soon as it has told of its end',
    comesTo: 'unknown',
    says: LOST,
  },
  {
    species: 'signed-files',
    quirk: 'signatures-run-out',
    does: 'signs URLs that have always run out',
    comesTo: 'unknown',
    says: LOST,
  },
  {
    species: 'queued-inference',
    quirk: 'foreign-result',
    does: 'says that the result is at an address inside a network',
    comesTo: 'unknown',
    says: [...LOST, 'http://169.254.169.254 is not allowed'],
  },
  {
    species: 'monitor-over-tls',
    quirk: 'downgraded-result',
    does: 'is asked by https, and says that the result is at an address without it',
    comesTo: 'unknown',
    says: [...LOST, 'it leaves https'],
  },
  // -- the callback
  {
    species: 'callback-only',
    quirk: 'lost-callback',
    does: 'does not call back, and can not be asked',
    comesTo: 'unknown',
    says: ['had not called back'],
    isShort: true,
  },
];
