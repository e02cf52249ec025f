import { Command, CommanderError } from 'commander';
import { ConfigError } from '../config/config-error.ts';
import { VERSION } from '../version.ts';
import { addBackup } from './backup.ts';
import { addCard } from './card.ts';
import type { CliContext } from './context.ts';
import { addDev } from './dev.ts';
import { addDoctor } from './doctor.ts';
import { CliError, EXIT, type ExitCode } from './exit.ts';
import { type Io, processIo } from './io.ts';
import { createOut } from './out.ts';
import { addSend } from './send.ts';
import { addStart } from './start.ts';
import { addTasks } from './tasks.ts';

/** Runs `parley` with the arguments of a process (`process.argv`); returns its exit code. */
export async function main(argv: readonly string[], io: Io = processIo()): Promise<number> {
  let code: ExitCode = EXIT.ok;
  const program = new Command('parley')
    .description('A2A agents from LangGraph.js graphs: serve them, and talk to any A2A agent')
    .version(VERSION)
    .exitOverride()
    .configureOutput({
      writeOut: (text) => io.stdout.write(text),
      writeErr: (text) => io.stderr.write(text),
    })
    .showHelpAfterError('(--help shows the usage)');
  const context: CliContext = {
    program,
    io,
    run: async (json, action) => {
      try {
        code = await action();
      } catch (error) {
        code = report(io, json === true, error);
      }
    },
  };
  for (const add of [addDev, addStart, addBackup, addDoctor, addCard, addSend, addTasks]) add(context);
  try {
    await program.parseAsync(argv);
    return code;
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    return error.exitCode === 0 ? EXIT.ok : EXIT.usage;
  }
}

function report(io: Io, json: boolean, error: unknown): ExitCode {
  const out = createOut(io, { json: false });
  if (error instanceof CliError && json && error.details) out.value({ error: error.details });
  if (error instanceof CliError) {
    out.note(`error: ${error.message}`, 'red');
    return error.exitCode;
  }
  if (error instanceof ConfigError) out.note(`error: ${error.message}`, 'red');
  else out.note(error instanceof Error ? (error.stack ?? error.message) : String(error), 'red');
  return EXIT.failed;
}
