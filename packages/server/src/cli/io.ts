import type { Readable } from 'node:stream';

export interface Sink {
  write(text: string): unknown;
  isTTY?: boolean;
}

/** What a command has of the process around it. */
export interface Io {
  stdin: Readable;
  stdout: Sink;
  stderr: Sink;
  env: NodeJS.ProcessEnv;
}

export function processIo(): Io {
  for (const stream of [process.stdout, process.stderr]) {
    // The reader of a pipe has gone (`parley … | head`): there is nobody left to tell.
    stream.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'EPIPE') process.exit(0);
      throw error;
    });
  }
  return { stdin: process.stdin, stdout: process.stdout, stderr: process.stderr, env: process.env };
}
