import { type ChildProcess, fork } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Answer, Memory, Question, SubjectName, SubjectOptions } from '../subjects/subject.ts';

/** A subject in its own process. */
export interface Subject {
  url: string;
  /** Where it keeps its files. */
  folder: string;
  /** User and system time of the process so far, microseconds. */
  cpu(): Promise<number>;
  memory(): Promise<Memory>;
  /** Lets it close its files; the folder stays until `remove`. */
  stop(): Promise<void>;
  remove(): Promise<void>;
}

export interface StartOptions extends Omit<SubjectOptions, 'folder'> {
  /** Writes a CPU profile into this folder when the process ends. */
  cpuProf?: string | undefined;
}

const benchFolder = fileURLToPath(new URL('../..', import.meta.url));
const childScript = fileURLToPath(new URL('../subjects/child.ts', import.meta.url));

/** Throws what kept the subject from starting. */
export async function startSubject(name: SubjectName, options: StartOptions = {}): Promise<Subject> {
  const { cpuProf, ...rest } = options;
  const folder = mkdtempSync(join(tmpdir(), `parley-bench-${name}-`));
  const child = fork(childScript, [name, JSON.stringify({ ...rest, folder })], {
    cwd: benchFolder,
    execArgv: [
      ...process.execArgv.filter((arg) => arg.startsWith('--conditions')),
      '--import=tsx',
      '--expose-gc',
      ...(cpuProf === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${cpuProf}`]),
    ],
    env: { ...process.env, ...QUIET },
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  const first = await Promise.race([nextAnswer(child), exited.then((): Answer => ({ failed: 'it exited' }))]);
  const remove = async (): Promise<void> => {
    if (child.exitCode === null && child.signalCode === null) child.kill('SIGKILL');
    await exited;
    rmSync(folder, { recursive: true, force: true });
  };
  if (!('url' in first)) {
    await remove();
    throw new Error('failed' in first ? first.failed : 'it did not say where it listens');
  }
  return {
    url: first.url,
    folder,
    cpu: async () => (await ask(child, 'cpu', 'cpuMicros')).cpuMicros,
    memory: async () => (await ask(child, 'memory', 'memory')).memory,
    stop: async () => {
      child.send('stop' satisfies Question);
      await exited;
    },
    remove,
  };
}

/** A server whose log is read by nobody writes little of one, and sends nothing anywhere. */
const QUIET = {
  NODE_ENV: 'production',
  LOG_LEVEL: 'error',
  LANGSMITH_TRACING: 'false',
  LANGCHAIN_TRACING_V2: 'false',
};

function nextAnswer(child: ChildProcess): Promise<Answer> {
  return new Promise((resolve) => child.once('message', (answer) => resolve(answer as Answer)));
}

async function ask<K extends string>(
  child: ChildProcess,
  question: Question,
  key: K,
): Promise<Extract<Answer, { [k in K]: unknown }>> {
  const answer = nextAnswer(child);
  child.send(question);
  const told = await answer;
  if (!(key in told)) throw new Error(`the answer to '${question}' is ${JSON.stringify(told)}`);
  return told as Extract<Answer, { [k in K]: unknown }>;
}
