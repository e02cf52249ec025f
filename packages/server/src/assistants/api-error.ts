import type { JsonObject } from '@parley/protocol';

/** Why a request of the LangGraph API is refused: what it names is not there, something is in its way, or it is wrong. */
export type ApiErrorKind = 'unknown' | 'conflict' | 'invalid';

/** A refusal in the words its caller gets as `detail`. `more` stands beside them. */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  readonly kind: ApiErrorKind;
  readonly more: JsonObject;

  constructor(kind: ApiErrorKind, detail: string, more: JsonObject = {}) {
    super(detail);
    this.kind = kind;
    this.more = more;
  }
}
