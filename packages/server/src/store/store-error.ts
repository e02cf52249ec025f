export type StoreErrorCode =
  | 'locked'
  | 'not-a-database'
  | 'damaged'
  | 'read-only'
  | 'newer-schema'
  | 'foreign-database'
  | 'unavailable';

/** A database that cannot be used as it is. The message names it and says what to do; it never crosses the wire. */
export class StoreError extends Error {
  override readonly name = 'StoreError';
  readonly code: StoreErrorCode;

  constructor(code: StoreErrorCode, message: string, cause?: unknown) {
    super(message, cause === undefined ? {} : { cause });
    this.code = code;
  }
}
