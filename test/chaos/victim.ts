import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { resolve } from 'node:path';

const script = resolve(import.meta.dirname, 'server.ts');

/** One process after the other on the same port and files. */
export interface Victim {
  url: string;
  /** Resolves when it listens. Rejects if it ends before that by itself. */
  start(): Promise<void>;
  kill(): Promise<void>;
  /** What all of its processes have logged as errors. */
  errors: string[];
}

export function createVictim(options: { port: number; database: string; visits: string }): Victim {
  const { port, database, visits } = options;
  let child: ChildProcess | undefined;
  let killed = false;
  const errors: string[] = [];
  return {
    url: `http://127.0.0.1:${port}`,
    errors,
    start: async () => {
      killed = false;
      const args = ['--import', 'tsx', '--conditions=@parley/source', script, String(port), database, visits];
      const started = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'pipe'] });
      child = started;
      started.stderr.on('data', (chunk) => errors.push(String(chunk)));
      const ended = once(started, 'exit').then(() => {
        if (!killed) throw new Error(`the server ended by itself: ${errors.join('')}`);
      });
      await Promise.race([once(started.stdout, 'data'), ended]);
    },
    kill: async () => {
      if (!child || child.exitCode !== null || child.signalCode !== null) return;
      killed = true;
      const gone = once(child, 'exit');
      child.kill('SIGKILL');
      await gone;
    },
  };
}
