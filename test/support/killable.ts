import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { afterEach, beforeEach } from 'vitest';

const script = resolve(import.meta.dirname, 'killable-server.ts');

/** A server in a process of its own. */
export interface Killable {
  child: ChildProcess;
  /** Resolves when it listens: not at all if it dies before. */
  ready: Promise<void>;
  endpoint(graphId: string): string;
  /** Resolves when it has printed this line. */
  said(line: string): Promise<void>;
  /** What it has printed so far. */
  heard: readonly string[];
}

/** `fileKiB`: no file of it may grow beyond, as on a full disk. */
export interface KillableOptions {
  fileKiB?: number;
}

/** A folder for each test, and servers on it, one after the other; both are gone after the test. */
export function useKillables(): {
  folder(): string;
  launch(options?: KillableOptions): Killable;
  /** Resolves when it listens. */
  start(options?: KillableOptions): Promise<Killable>;
  stop(signal: NodeJS.Signals): Promise<void>;
} {
  let folder: string;
  let child: ChildProcess | undefined;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'parley-killable-'));
  });
  afterEach(async () => {
    child?.kill('SIGKILL');
    await rm(folder, { recursive: true, force: true });
  });
  const launch = (options?: KillableOptions): Killable => {
    const launched = startKillable(folder, options);
    child = launched.child;
    return launched;
  };
  return {
    folder: () => folder,
    launch,
    start: async (options) => {
      const started = launch(options);
      await started.ready;
      return started;
    },
    stop: async (signal) => {
      const gone = child && once(child, 'exit');
      child?.kill(signal);
      await gone;
    },
  };
}

/** Starts `killable-server.ts` on files in `folder`. */
function startKillable(folder: string, { fileKiB }: KillableOptions = {}): Killable {
  const args = [
    '--import',
    'tsx',
    '--conditions=@parley/source',
    script,
    join(folder, 'p.db'),
    join(folder, 'gate'),
  ];
  // POSIX counts in blocks of 512 bytes.
  const limited = ['-c', `ulimit -f ${(fileKiB ?? 0) * 2}; exec "$0" "$@"`, process.execPath, ...args];
  const child =
    fileKiB === undefined
      ? spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] })
      : spawn('/bin/sh', limited, { stdio: ['ignore', 'pipe', 'ignore'] });
  if (!child.stdout) throw new Error('no stdout');
  const heard: string[] = [];
  let wake = (): void => {};
  createInterface({ input: child.stdout }).on('line', (line) => {
    heard.push(line);
    wake();
  });
  const line = async (matches: (text: string) => boolean): Promise<string> => {
    for (;;) {
      const found = heard.find(matches);
      if (found !== undefined) return found;
      await new Promise<void>((done) => {
        wake = done;
      });
    }
  };
  let port = '';
  const ready = line((text) => text.startsWith('port ')).then((text) => {
    port = text.slice(5);
  });
  return {
    child,
    ready,
    heard,
    endpoint: (graphId) => `http://127.0.0.1:${port}/a2a/${graphId}`,
    said: async (text) => {
      await line((one) => one === text);
    },
  };
}
