import { Option } from 'commander';
import type { CliContext } from './context.ts';
import type { DoctorOptions } from './doctor/examine.ts';
import { secondsOption, serverOptions } from './options.ts';

type Values = Omit<DoctorOptions, 'json'> & { json?: boolean; loadGraph?: string; loadStore?: boolean };

export function addDoctor({ program, io, run }: CliContext): void {
  const command = program
    .command('doctor')
    .description('look for what is wrong with a project, its database and its server');
  serverOptions(command)
    .option('--timeout <seconds>', 'time that a graph gets to load, and a card to arrive', secondsOption, 30)
    .option('--json', 'print one JSON value: {"ok", "findings"}')
    .addOption(new Option('--load-graph <id>').hideHelp())
    .addOption(new Option('--load-store').hideHelp())
    .action(({ json = false, loadGraph, loadStore = false, ...options }: Values) =>
      run(json, async () => {
        if (loadGraph !== undefined || loadStore) {
          const { loadAlone } = await import('./doctor/load-alone.ts');
          return loadAlone(options.config, loadGraph === undefined ? 'store' : { graph: loadGraph }, io);
        }
        const { examine } = await import('./doctor/examine.ts');
        return examine({ ...options, json }, io);
      }),
    );
}
