import { type HistoryScope, invalidParams } from '@parley/protocol';

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
