import type { DataPart, JsonObject, JsonValue } from '@parley/protocol';
import type { PendingInterrupt } from './ports/run.ts';

/** One data part `{id, value}` per open question, with `responseSchema` where the graph declared one. */
export function interruptParts(pending: readonly PendingInterrupt[]): DataPart[] {
  return pending.map(({ id, value, schema }) => ({
    data: { id, value, ...(schema ? { responseSchema: schema } : {}) },
    metadata: { langgraph: 'interrupt' },
  }));
}

/** The question as text: a string value, or its `question`, `prompt`, `message` or `description`. */
export function questionText(pending: readonly PendingInterrupt[]): string {
  return pending
    .map(({ value }) => (typeof value === 'string' ? value : textMember(value)))
    .filter((text) => text !== '')
    .join('\n');
}

function textMember(value: JsonValue): string {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return '';
  const record: JsonObject = value;
  for (const key of ['question', 'prompt', 'message', 'description']) {
    const member = record[key];
    if (typeof member === 'string' && member !== '') return member;
  }
  return '';
}
