/** A server under measurement. Each runs in a process of its own, started by `driver/process.ts`. */
export const SUBJECTS = [
  'parley',
  'bare-handler',
  'sdk-memory',
  'sdk-database',
  'dev-server',
  'plain-http',
] as const;

export type SubjectName = (typeof SUBJECTS)[number];

export interface SubjectOptions {
  /** An empty folder for what it keeps. */
  folder: string;
  /** Tasks that the store holds before the server starts. */
  tasks?: number;
}

export interface RunningSubject {
  url: string;
  close(): Promise<void>;
}

export type StartSubject = (options: SubjectOptions) => Promise<RunningSubject>;

/** What the driver asks a subject's process. */
export type Question = 'cpu' | 'memory' | 'stop';

export interface Memory {
  /** Bytes, after a garbage collection if the process was started with `--expose-gc`. */
  rss: number;
  heap: number;
}

export type Answer = { url: string } | { failed: string } | { cpuMicros: number } | { memory: Memory };
