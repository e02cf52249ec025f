import type { Io, Sink } from './io.ts';

const STYLES = { bold: 1, dim: 2, red: 31, green: 32, yellow: 33, cyan: 36 } as const;
export type Style = keyof typeof STYLES;

/** Where a command writes. What was asked for goes to stdout, everything about it to stderr. */
export interface Out {
  readonly json: boolean;
  /** A piece of text as it is; the line stays open. */
  write(text: string): void;
  /** A line of its own on stdout. */
  line(text: string, style?: Style): void;
  /** One JSON value in one line on stdout. */
  value(value: unknown): void;
  /** A line of its own on stderr; silent with `--json`. */
  note(text: string, style?: Style): void;
  /** The one live line of a terminal; whatever is written next replaces it. */
  progress(text: string): void;
  clear(): void;
}

export function createOut({ stdout, stderr, env }: Io, options: { json: boolean }): Out {
  let open = false;
  let live = false;
  const clear = (): void => {
    if (live) stderr.write('\r\u001b[2K');
    live = false;
  };
  const write = (text: string): void => {
    if (text === '') return;
    clear();
    stdout.write(text);
    open = !text.endsWith('\n');
  };
  const fresh = (): void => {
    if (open) write('\n');
  };
  return {
    json: options.json,
    write,
    line: (text, style) => {
      fresh();
      write(`${paint(stdout, env, text, style)}\n`);
    },
    value: (value) => write(`${JSON.stringify(value)}\n`),
    note: (text, style) => {
      if (options.json) return;
      fresh();
      clear();
      stderr.write(`${paint(stderr, env, text, style)}\n`);
    },
    progress: (text) => {
      if (options.json || open || stderr.isTTY !== true) return;
      clear();
      stderr.write(paint(stderr, env, text, 'dim'));
      live = true;
    },
    clear: () => {
      clear();
      fresh();
    },
  };
}

/** Colour is for terminals; `NO_COLOR` and `FORCE_COLOR` decide otherwise. */
export function hasColour(sink: Sink, env: NodeJS.ProcessEnv): boolean {
  if (env.NO_COLOR) return false;
  if (env.FORCE_COLOR !== undefined) return env.FORCE_COLOR !== '0';
  return sink.isTTY === true && env.TERM !== 'dumb';
}

function paint(sink: Sink, env: NodeJS.ProcessEnv, text: string, style: Style | undefined): string {
  return style && hasColour(sink, env) ? `\u001b[${STYLES[style]}m${text}\u001b[0m` : text;
}
