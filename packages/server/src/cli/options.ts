import { dirname, join, resolve } from 'node:path';
import { type Command, InvalidArgumentError, Option } from 'commander';

/** Values of options; what they throw, commander prints with the option's name. */

function portOption(text: string): number {
  const port = Number(text);
  if (/^\d+$/.test(text) && port <= 65_535) return port;
  throw new InvalidArgumentError('Expected a port from 0 to 65535.');
}

export function secondsOption(text: string): number {
  const seconds = Number(text);
  if (text.trim() !== '' && Number.isFinite(seconds) && seconds >= 0) return seconds;
  throw new InvalidArgumentError('Expected a number of seconds.');
}

export function countOption(text: string): number {
  const count = Number(text);
  if (Number.isSafeInteger(count) && count > 0) return count;
  throw new InvalidArgumentError('Expected a whole number above 0.');
}

/** JSON of a repeatable option. */
export function jsonOption(text: string, before: unknown[] = []): unknown[] {
  try {
    return [...before, JSON.parse(text)];
  } catch (cause) {
    throw new InvalidArgumentError(`Expected JSON: ${(cause as Error).message}.`);
  }
}

/** An empty shell variable is more likely than the wish for a new task. */
export function idOption(text: string): string {
  if (text !== '') return text;
  throw new InvalidArgumentError('Expected an id.');
}

export function listOption(text: string, before: string[] = []): string[] {
  return [...before, text];
}

/** `Name: value` of a repeatable option. */
function headerOption(text: string, before: [string, string][] = []): [string, string][] {
  const match = /^([!#$%&'*+.^_`|~\w-]+):\s*(.*)$/.exec(text);
  if (!match) throw new InvalidArgumentError('Expected "Name: value".');
  return [...before, [match[1] ?? '', match[2] ?? '']];
}

export function httpHeaders(): Option {
  return new Option(
    '-H, --header <header>',
    'HTTP header "Name: value" of every request (repeatable)',
  ).argParser(headerOption);
}

export function asJson(what = 'one JSON value'): Option {
  return new Option('--json', `print ${what} in the shape of A2A 1.0`);
}

/** Where a project and its database are. */
export interface PlaceOptionValues {
  config: string;
  database?: string;
}

export function placeOptions(command: Command): Command {
  return command
    .option('--config <file>', 'configuration', 'langgraph.json')
    .option('--database <file>', 'SQLite file (default: .parley/parley.db beside the configuration)');
}

/** `--database`, or beside the configuration, which need not be there. */
export function databaseOf({ config, database }: PlaceOptionValues): string {
  if (database === ':memory:') return database;
  return resolve(database ?? join(dirname(config), '.parley', 'parley.db'));
}

/** What every command that serves is told. */
export interface ServerOptionValues extends PlaceOptionValues {
  port: number;
  host: string;
  allowUnauthenticated?: boolean;
}

export function serverOptions(command: Command): Command {
  return placeOptions(command)
    .option('--port <port>', 'port; 0 takes a free one', portOption, 2024)
    .option('--host <host>', 'address to listen on', '127.0.0.1')
    .option('--allow-unauthenticated', 'listen beyond loopback although nobody is asked who they are');
}
