import type { Command } from 'commander';
import type { ExitCode } from './exit.ts';
import type { Io } from './io.ts';

/** What the file of a command is given. */
export interface CliContext {
  program: Command;
  io: Io;
  /** Runs the command and keeps its exit code; errors are told in the form that `json` asks for. */
  run(json: boolean | undefined, action: () => Promise<ExitCode>): Promise<void>;
}
