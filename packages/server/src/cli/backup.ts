import type { CliContext } from './context.ts';
import { databaseOf, type PlaceOptionValues, placeOptions } from './options.ts';

interface BackupOptions extends PlaceOptionValues {
  force?: boolean;
  json?: boolean;
}

export function addBackup({ program, io, run }: CliContext): void {
  const command = program
    .command('backup')
    .description('copy the database into one file, also while a server runs on it')
    .argument('<file>', 'the file to write');
  placeOptions(command)
    .option('--force', 'replace the file if there is one')
    .option('--json', 'print one JSON value: {"database", "file", "bytes"}')
    .action((file: string, { force = false, json = false, ...place }: BackupOptions) =>
      run(json, async () => {
        // Databases are not loaded to send a message.
        const { writeBackup } = await import('./write-backup.ts');
        return writeBackup({ database: databaseOf(place), file, force, json }, io);
      }),
    );
}
