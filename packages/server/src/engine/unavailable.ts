/** Thrown by a store that cannot write now, as on a full disk: nothing of what was asked is done, later it may be. */
export class Unavailable extends Error {
  override readonly name = 'Unavailable';
  constructor(cause: unknown) {
    super('the store cannot write', { cause });
  }
}

/** When it is worth trying again. */
export const RETRY_AFTER_S = 10;
