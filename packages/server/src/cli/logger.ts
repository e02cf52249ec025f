import { type DestinationStream, type Logger, pino } from 'pino';
import { build } from 'pino-pretty';
import type { Io, Sink } from './io.ts';
import { hasColour } from './out.ts';

export type LogForm = 'pretty' | 'json';

/** Logs for people on a terminal, JSON lines for whatever reads a pipe. */
export function createLogger({ stdout, env }: Io, form: LogForm, level: string): Logger {
  const destination = form === 'json' ? (stdout as DestinationStream) : prettyStream(stdout, env);
  return pino({ level, base: null }, destination);
}

function prettyStream(sink: Sink, env: NodeJS.ProcessEnv): DestinationStream {
  return build({
    colorize: hasColour(sink, env),
    translateTime: 'SYS:HH:MM:ss',
    destination: sink as NodeJS.WritableStream,
    sync: true,
  });
}
