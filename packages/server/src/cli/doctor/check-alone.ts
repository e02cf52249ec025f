import { fork } from 'node:child_process';
import { PARLEY_BIN } from '../dev-server.ts';
import type { Finding, Findings } from './finding.ts';
import type { Loaded } from './load-alone.ts';

export interface LoadedAlone {
  /** How it is called in what is found. */
  name: string;
  /** Its module. */
  file: string;
  /** What is to be said when all is well. */
  well: string;
  /** Of the command that loads it. */
  args: string[];
}

/** Loads something in a process of its own: an import that never ends cannot be ended otherwise. */
export function checkAlone(
  { name, file, well, args }: LoadedAlone,
  { ok, problem }: Findings,
  timeoutMs: number,
): Promise<Finding> {
  const child = fork(PARLEY_BIN, ['doctor', ...args], { stdio: ['ignore', 'ignore', 'pipe', 'ipc'] });
  let said = '';
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    said = `${said}${text}`.slice(-2_000);
  });
  return new Promise((resolve) => {
    const end = (finding: Finding): void => {
      clearTimeout(timer);
      child.kill('SIGKILL');
      resolve(finding);
    };
    const timer = setTimeout(() => {
      const remedy = `look for what ${file} waits for when it is imported; --timeout gives it longer`;
      end(problem(`${name} has not loaded within ${timeoutMs / 1_000} seconds`, remedy));
    }, timeoutMs);
    child.once('message', (message) => {
      const found = (message as Loaded).problem;
      end(found ? problem(`${name}: ${found.message}`, found.remedy) : ok(`${name} ${well}`));
    });
    child.once('error', (error) => end(problem(`${name}: ${error.message}`, 'try again')));
    child.once('close', (code, signal) => {
      const last = said.trim().split('\n').at(-1);
      const how = `${name} ends the process while it loads (${signal ?? `code ${code}`})`;
      end(
        problem(last ? `${how}: ${last}` : how, `see to it that importing ${file} does not end the process`),
      );
    });
  });
}
