import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));
const BIN = fileURLToPath(new URL('../bin/parley.js', import.meta.url));

let built: Promise<unknown> | undefined;

/** The command runs what the compiler has made of the sources as they are now. */
export function buildParley(): Promise<unknown> {
  built ??= promisify(execFile)(process.execPath, ['node_modules/typescript/bin/tsc', '-b'], {
    cwd: ROOT,
  }).catch((error: { stdout?: string }) => {
    throw new Error(`tsc -b failed:\n${error.stdout}`);
  });
  return built;
}

/** A `parley` that runs; its output is kept as it comes. */
export interface ParleyProcess {
  child: ChildProcess;
  stdout(): string;
  stderr(): string;
  /** Resolves with the match once stdout and stderr together contain it `times` times; rejects if the process ends first. */
  output(pattern: RegExp, times?: number): Promise<RegExpMatchArray>;
  ended: Promise<number | null>;
}

export interface SpawnOptions {
  cwd?: string;
  env?: { [name: string]: string };
  input?: string;
}

const running = new Set<ChildProcess>();

export function spawnParley(args: string[], options: SpawnOptions = {}): ParleyProcess {
  const { npm_config_user_agent: _npm, FORCE_COLOR: _colour, ...env } = process.env;
  const child = spawn(process.execPath, [BIN, ...args], {
    cwd: options.cwd,
    env: { ...env, ...options.env },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  running.add(child);
  child.stdin.end(options.input ?? '');
  let stdout = '';
  let stderr = '';
  const changed = new Set<() => void>();
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    stdout += text;
    for (const look of changed) look();
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
    for (const look of changed) look();
  });
  const ended = new Promise<number | null>((resolve) => {
    child.once('close', (code) => {
      running.delete(child);
      resolve(code);
    });
  });
  return {
    child,
    stdout: () => stdout,
    stderr: () => stderr,
    ended,
    output: (pattern, times = 1) =>
      new Promise((resolve, reject) => {
        const look = (): void => {
          const matches = [...`${stdout}${stderr}`.matchAll(new RegExp(pattern, 'g'))];
          const match = matches[times - 1];
          if (!match) return;
          changed.delete(look);
          resolve(match);
        };
        changed.add(look);
        look();
        void ended.then((code) =>
          reject(new Error(`ended with ${code} before ${pattern}:\n${stdout}${stderr}`)),
        );
      }),
  };
}

export async function runParley(
  args: string[],
  options: SpawnOptions = {},
): Promise<{ code: number | null; stdout: string; stderr: string }> {
  const run = spawnParley(args, options);
  const code = await run.ended;
  return { code, stdout: run.stdout(), stderr: run.stderr() };
}

/** Ends what a failed test has left. */
export async function endParleys(): Promise<void> {
  for (const child of running) child.kill('SIGKILL');
}
