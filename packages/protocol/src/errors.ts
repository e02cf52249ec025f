import { type A2AErrorKind, ERROR_KINDS, ERROR_TABLE } from './error-table.ts';
import type { JsonValue } from './model.ts';

/** One entry of `google.rpc.BadRequest`. `field` is a path such as `message.parts[1].raw`. */
export interface FieldViolation {
  field: string;
  description: string;
}

export interface A2AErrorOptions {
  fieldViolations?: FieldViolation[];
  /** Goes out as `google.rpc.ErrorInfo.metadata`. */
  metadata?: Record<string, string>;
  /** Seconds. */
  retryAfter?: number;
  cause?: unknown;
}

/** The one error that crosses the wire. `cause` is for the log; no codec reads it. */
export class A2AError extends Error {
  override readonly name = 'A2AError';
  readonly kind: A2AErrorKind;
  declare readonly fieldViolations?: FieldViolation[];
  declare readonly metadata?: Record<string, string>;
  declare readonly retryAfter?: number;

  constructor(kind: A2AErrorKind, message?: string, options: A2AErrorOptions = {}) {
    super(message ?? ERROR_TABLE[kind].message, options.cause === undefined ? {} : { cause: options.cause });
    this.kind = kind;
    if (options.fieldViolations !== undefined) this.fieldViolations = options.fieldViolations;
    if (options.metadata !== undefined) this.metadata = options.metadata;
    if (options.retryAfter !== undefined) this.retryAfter = options.retryAfter;
  }
}

const kinds: ReadonlySet<unknown> = new Set(ERROR_KINDS);

/** By name and kind, not by class: two copies of this package understand each other's errors. */
export function isA2AError(value: unknown): value is A2AError {
  return value instanceof Error && value.name === 'A2AError' && kinds.has((value as { kind?: unknown }).kind);
}

export function invalidParams(field: string, description: string, message?: string): A2AError {
  return new A2AError('invalid-params', message, { fieldViolations: [{ field, description }] });
}

/** The client reads a fixed sentence and the id under which the log holds `cause`. */
export function internalError(correlationId: string, cause?: unknown): A2AError {
  return new A2AError('internal', `An internal error occurred (correlation id ${correlationId})`, {
    metadata: { correlationId },
    cause,
  });
}

export const ERROR_DOMAIN = 'a2a-protocol.org';

/**
 * The error's `google.rpc` messages, for `error.data` (JSON-RPC), `error.details` (HTTP+JSON) and the gRPC status. A2A
 * errors always have an `ErrorInfo` (section 5.4); a standard JSON-RPC error has one only when it carries metadata.
 */
export function errorDetails(error: A2AError): JsonValue[] {
  const details: JsonValue[] = [];
  const reason = ERROR_TABLE[error.kind].reason;
  if (reason !== undefined || error.metadata !== undefined) {
    details.push({
      '@type': 'type.googleapis.com/google.rpc.ErrorInfo',
      reason: reason ?? error.kind.toUpperCase().replaceAll('-', '_'),
      domain: ERROR_DOMAIN,
      ...(error.metadata === undefined ? {} : { metadata: error.metadata }),
    });
  }
  if (error.fieldViolations !== undefined && error.fieldViolations.length > 0) {
    details.push({
      '@type': 'type.googleapis.com/google.rpc.BadRequest',
      fieldViolations: error.fieldViolations.map(({ field, description }) => ({ field, description })),
    });
  }
  return details;
}
