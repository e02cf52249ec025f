export type MisuseCode = 'SSE_LINE_BREAK' | 'SSE_EVENT_TOO_LARGE' | 'FOLD_WITHOUT_TASK';

/** A fault of the program around this package, or of its peer's framing. Never goes to a client. */
export class ProtocolMisuseError extends Error {
  override readonly name = 'ProtocolMisuseError';
  readonly code: MisuseCode;

  constructor(code: MisuseCode, message: string) {
    super(message);
    this.code = code;
  }
}
