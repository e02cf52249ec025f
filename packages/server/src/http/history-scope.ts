import { type HistoryScope, invalidParams } from '@parley/protocol';

/** The header `LangGraph-A2A-History-Scope` (docs/history.md). */
export function readHistoryScope(request: Request): HistoryScope | undefined {
  const value = request.headers.get('langgraph-a2a-history-scope');
  if (value === null || value === '') return undefined;
  if (value === 'context' || value === 'task') return value;
  const text = "historyScope must be 'context' or 'task'";
  throw invalidParams('historyScope', text, text);
}
