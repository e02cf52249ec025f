import { Option } from 'commander';
import type { CliContext } from './context.ts';
import type { LogForm } from './logger.ts';
import { type ServerOptionValues, secondsOption, serverOptions } from './options.ts';

interface StartOptions extends ServerOptionValues {
  log?: LogForm;
  logLevel: string;
  drain: number;
  json?: boolean;
}

export const LOG_LEVELS: readonly string[] = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'];

export function addStart({ program, io, run }: CliContext): void {
  const command = program
    .command('start')
    .description('serve every graph of a langgraph.json as an A2A agent');
  serverOptions(command)
    .option('--drain <seconds>', 'time that runs get to finish when the server stops', secondsOption, 5)
    .addOption(
      new Option('--log <form>', 'form of the log (default: pretty on a terminal)').choices([
        'pretty',
        'json',
      ]),
    )
    .addOption(
      new Option('--log-level <level>', 'least severity that is logged').choices(LOG_LEVELS).default('info'),
    )
    .option('--json', 'the same as --log json')
    .action(({ allowUnauthenticated = false, log, json, ...options }: StartOptions) =>
      run(json, async () => {
        // Graphs and databases are not loaded to send a message.
        const { serve } = await import('./serve.ts');
        const form = json ? 'json' : (log ?? (io.stdout.isTTY ? 'pretty' : 'json'));
        return serve({ ...options, allowUnauthenticated, log: form }, io);
      }),
    );
}
