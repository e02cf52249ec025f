import { realpathSync } from 'node:fs';
import { basename } from 'node:path';
import { Option } from 'commander';
import { type Config, loadConfig } from '../config/load-config.ts';
import { assertMayBind } from './bind-address.ts';
import type { CliContext } from './context.ts';
import { superviseServer } from './dev-server.ts';
import type { ExitCode } from './exit.ts';
import type { Io } from './io.ts';
import { type ServerOptionValues, serverOptions } from './options.ts';
import { createOut } from './out.ts';
import { LOG_LEVELS } from './start.ts';
import { stopSignal } from './stop-signal.ts';
import { watchProject } from './watch-project.ts';

interface DevOptions extends ServerOptionValues {
  logLevel: string;
  json?: boolean;
}

export function addDev({ program, io, run }: CliContext): void {
  const command = program
    .command('dev')
    .description('serve a langgraph.json, and restart when it or a module that it loads changes');
  serverOptions(command)
    .addOption(
      new Option('--log-level <level>', 'least severity that is logged').choices(LOG_LEVELS).default('debug'),
    )
    .option('--json', 'log JSON lines')
    .action((options: DevOptions) => run(options.json, () => dev(options, io)));
}

/** The server is a process of its own: modules that were loaded once stay loaded. Its state is in the database. */
async function dev(options: DevOptions, io: Io): Promise<ExitCode> {
  const config = loadConfig(options.config);
  assertMayBind(options.host, options.allowUnauthenticated === true);
  const out = createOut(io, { json: options.json === true });
  const stop = stopSignal();
  const server = superviseServer((port) => serverArguments(options, port), out);
  const watcher = watchProject(config, (path, file) => {
    // What agents write is no change of the project.
    if (!isConfiguration(config, path) && !server.concerns(path)) return;
    out.note(`${file} has changed, restarting`, 'yellow');
    server.restart();
  });
  try {
    await watcher.ready;
    const ended = await Promise.race([server.start(options.port), stop.requested.then(() => undefined)]);
    if (typeof ended === 'number') return ended;
    await stop.requested;
    return 0;
  } finally {
    await watcher.close();
    await server.stop();
    stop.dispose();
  }
}

function isConfiguration(config: Config, path: string): boolean {
  return basename(path).startsWith('.env') || path === realpathSync(config.file);
}

function serverArguments(options: DevOptions, port: number): string[] {
  return [
    'start',
    ...['--config', options.config],
    ...['--port', String(port)],
    ...['--host', options.host],
    ...(options.database === undefined ? [] : ['--database', options.database]),
    ...(options.allowUnauthenticated ? ['--allow-unauthenticated'] : []),
    ...['--log', options.json ? 'json' : 'pretty'],
    ...['--log-level', options.logLevel],
    // A run that is cut off goes on in the next server.
    ...['--drain', '1'],
  ];
}
