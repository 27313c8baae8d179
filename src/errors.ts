// Every error that Longshore raises on purpose, with what it means for whoever meets it.
//
//   An upstream's "no" is an Outcome, never an exception.     Our own bug throws and is not one of these codes.
//   A request whose fate is unknown is evidence (submit_ambiguous), never an exception.
//   The message names the thing and the mend, and carries no secret; `cause` keeps the evidence for the log.

/** Each code: what the caller may do next, the JSON-RPC code and the HTTP status it becomes at the edge. */
export const ERRORS = {
  CONFIG_INVALID: { retry: 'never', rpc: -32603, http: 500 },
  DOCUMENT_INVALID: { retry: 'never', rpc: -32603, http: 500 },
  ARGUMENTS_INVALID: { retry: 'never', rpc: -32602, http: 400 },
  TOOL_NOT_FOUND: { retry: 'never', rpc: -32602, http: 404 },
  OPERATION_NOT_FOUND: { retry: 'never', rpc: -32602, http: 404 },
  IDEMPOTENCY_CONFLICT: { retry: 'never', rpc: -32602, http: 409 },
  OPERATION_ENDED: { retry: 'never', rpc: -32602, http: 409 },
  LEDGER_CONFLICT: { retry: 'later', rpc: -32603, http: 503 },
  LEDGER_UNAVAILABLE: { retry: 'later', rpc: -32603, http: 503 },
  GATE_CLOSED: { retry: 'later', rpc: -32603, http: 503 },
  LIMIT_REACHED: { retry: 'later', rpc: -32603, http: 429 },
  SHUTTING_DOWN: { retry: 'later', rpc: -32603, http: 503 },
} as const satisfies Record<string, { retry: 'never' | 'later'; rpc: number; http: number }>;

export type ErrorCode = keyof typeof ERRORS;

/** The one error class. `code` is stable and documented; `message` is for people. */
export class LongshoreError extends Error {
  override readonly name = 'LongshoreError';
  readonly code: ErrorCode;

  constructor(code: ErrorCode, message: string, options?: { readonly cause?: unknown }) {
    super(message, options);
    this.code = code;
  }

  get retry(): 'never' | 'later' {
    return ERRORS[this.code].retry;
  }
}

/** One thing that is wrong with an input: where it is, what is wrong, and what would mend it. */
export interface Fault {
  /** File name as the operator wrote it; absent for arguments of a call. */
  readonly file?: string;
  /** 1-based. */
  readonly line?: number;
  readonly column?: number;
  /** JSON Pointer (RFC 6901) into the file or the arguments; '' is the whole. */
  readonly pointer: string;
  readonly message: string;
  readonly mend?: string;
}

/** `file:line:column  pointer: message → mend`, leaving out what is not known. */
export function describeFault(fault: Fault): string {
  const place = [fault.file, fault.line, fault.column].filter((part) => part !== undefined).join(':');
  const where = [place, fault.pointer].filter((part) => part !== '').join('  ');
  return `${where === '' ? '' : `${where}: `}${fault.message}${fault.mend === undefined ? '' : ` → ${fault.mend}`}`;
}
