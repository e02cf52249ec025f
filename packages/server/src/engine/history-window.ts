import { A2AError, type HistoryScope, invalidParams } from '@parley/protocol';

/** Which messages an answer carries: scope first, then the last `length` of it (all if absent). */
export function historyWindow(
  asked: { historyScope?: HistoryScope; historyLength?: number } | undefined,
  caller: { historyScope?: HistoryScope },
  maxLength: number,
  /** Where the length stands in the request. */
  field = 'historyLength',
): { scope: HistoryScope; length?: number } {
  const scope = asked?.historyScope ?? caller.historyScope ?? 'context';
  const length = asked?.historyLength;
  if (length === undefined) return { scope };
  if (length > maxLength) {
    const text = `historyLength cannot exceed ${maxLength}`;
    throw invalidParams(field, text, text);
  }
  return { scope, length };
}

const HISTORY_SCOPES: readonly string[] = ['context', 'task'];

/** Value of the header `LangGraph-A2A-History-Scope`. */
export function readHistoryScope(value: string | null | undefined): HistoryScope | undefined {
  if (value === null || value === undefined || value === '') return undefined;
  if (HISTORY_SCOPES.includes(value)) return value as HistoryScope;
  const text = "historyScope must be 'context' or 'task'";
  throw new A2AError('invalid-params', text, {
    fieldViolations: [{ field: 'historyScope', description: text }],
  });
}
