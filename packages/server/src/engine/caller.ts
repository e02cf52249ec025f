import type { HistoryScope } from '@parley/protocol';

/** Who calls which assistant, as the binding found out. */
export interface Caller {
  owner: string;
  assistantId: string;
  extensions: string[];
  /** From the header, for clients that cannot add body fields; a value in the body wins. */
  historyScope?: HistoryScope;
  idempotencyKey?: string;
  /** One is aborted when the client hangs up or the server stops: what the client waits for goes on without it. */
  signals: readonly AbortSignal[];
}
