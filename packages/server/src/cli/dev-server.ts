import { type ChildProcess, fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { EXIT, type ExitCode } from './exit.ts';
import type { Out } from './out.ts';
import type { ServerNews } from './serve.ts';

export interface DevServer {
  /** Resolves once the first server listens, or with its exit code if it never did. */
  start(port: number): Promise<ExitCode | undefined>;
  /** Ends the running server and starts the next on the same port. Calls while one starts or ends are one. */
  restart(): void;
  /** Whether a change of this file can make a difference: it was loaded, or the server has ended by itself. */
  concerns(file: string): boolean;
  stop(): Promise<void>;
}

export const PARLEY_BIN: string = fileURLToPath(new URL('../../bin/parley.js', import.meta.url));

export function superviseServer(argumentsFor: (port: number) => string[], out: Out): DevServer {
  let port = 0;
  let child: ChildProcess | undefined;
  let turn: Promise<unknown> = Promise.resolve();
  let waiting = false;
  let stopped = false;
  /** It has ended by itself. */
  let down = false;
  const loaded = new Set<string>();

  const launch = (): Promise<ExitCode | undefined> => {
    const started = fork(PARLEY_BIN, argumentsFor(port), { execArgv: process.execArgv });
    child = started;
    down = false;
    return new Promise((resolve) => {
      started.on('message', (message) => {
        const news = message as ServerNews;
        if ('loaded' in news) loaded.add(news.loaded);
        else {
          port = news.port;
          resolve(undefined);
        }
      });
      started.once('exit', (code) => {
        const own = child === started;
        if (own) {
          child = undefined;
          down = true;
        }
        if (own && !stopped)
          out.note(`the server has ended with code ${code}, waiting for a change`, 'yellow');
        resolve(code === EXIT.usage ? EXIT.usage : EXIT.failed);
      });
    });
  };
  const end = (): Promise<void> => {
    const ending = child;
    child = undefined;
    if (!ending || ending.exitCode !== null || ending.signalCode !== null) return Promise.resolve();
    return new Promise((resolve) => {
      ending.once('exit', () => resolve());
      // It drains and ends when the channel closes; a signal would come twice from a terminal.
      if (ending.connected) ending.disconnect();
      else ending.kill('SIGTERM');
    });
  };

  return {
    start: (first) => {
      port = first;
      const launched = launch();
      turn = launched;
      return launched;
    },
    restart: () => {
      if (waiting) return;
      waiting = true;
      turn = turn.then(async () => {
        await end();
        waiting = false;
        if (!stopped) await launch();
      });
    },
    concerns: (file) => down || loaded.has(file),
    stop: async () => {
      stopped = true;
      await end();
      await turn;
      await end();
    },
  };
}
