/** Exit codes of every command. */
export const EXIT = {
  ok: 0,
  /** The task failed or was rejected, the agent refused the request, or the configuration cannot be served. */
  failed: 1,
  /** Wrong usage, or an input that cannot be read: a file, JSON, an address where nothing answers. */
  usage: 2,
} as const;

export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

/** Ends a command with one clear line. */
export class CliError extends Error {
  override readonly name = 'CliError';
  readonly code = 'PARLEY_CLI';
  readonly exitCode: ExitCode;
  /** What `--json` prints under `error`, if the agent said it. */
  readonly details: object | undefined;

  constructor(exitCode: ExitCode, message: string, options: { details?: object; cause?: unknown } = {}) {
    super(message, options.cause === undefined ? {} : { cause: options.cause });
    this.exitCode = exitCode;
    this.details = options.details;
  }
}
