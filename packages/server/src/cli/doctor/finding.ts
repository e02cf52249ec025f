export type Check = 'config' | 'graphs' | 'store' | 'versions' | 'database' | 'clock' | 'card';

/** `problem`: a server would not start or not work. `warning`: it works, and somebody should look. */
export interface Finding {
  check: Check;
  level: 'ok' | 'warning' | 'problem';
  /** Names what was looked at. */
  message: string;
  /** What to do; of everything that is not `ok`. */
  remedy?: string;
}

/** The findings of one check, in the order in which they are told. */
export interface Findings {
  ok(message: string): Finding;
  warning(message: string, remedy: string): Finding;
  problem(message: string, remedy: string): Finding;
}

export function findingsOf(check: Check): Findings {
  return {
    ok: (message) => ({ check, level: 'ok', message }),
    warning: (message, remedy) => ({ check, level: 'warning', message, remedy }),
    problem: (message, remedy) => ({ check, level: 'problem', message, remedy }),
  };
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
