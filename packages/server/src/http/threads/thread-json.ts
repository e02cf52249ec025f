import type { JsonObject } from '@parley/protocol';
import type { ThreadState } from '../../langgraph/thread-state.ts';
import type { ThreadRecord } from '../../threads/ports.ts';

/** A thread as the LangGraph API gives it; without `values` and `interrupts` if its state was not read. */
export function threadJson(thread: ThreadRecord, state: ThreadState | undefined): object {
  const updatedAt = new Date(thread.updatedAt).toISOString();
  return {
    thread_id: thread.id,
    created_at: new Date(thread.createdAt).toISOString(),
    updated_at: updatedAt,
    state_updated_at: state?.created_at ?? updatedAt,
    metadata: threadMetadata(thread),
    status: thread.status,
    config: {},
    ...(state ? { values: state.values, interrupts: interruptsOf(state) } : {}),
  };
}

/** What there is to filter threads by. */
function threadMetadata({ assistantId, graphId }: ThreadRecord): JsonObject {
  return { assistant_id: assistantId, graph_id: graphId };
}

function interruptsOf({ tasks }: ThreadState): JsonObject {
  const open = tasks.filter(({ interrupts }) => Array.isArray(interrupts) && interrupts.length > 0);
  return Object.fromEntries(open.map(({ id, interrupts }) => [id, interrupts]));
}

/** The wanted fields of a state; `values.<key>` asks for one value. All if no list says which. */
export function stateJson(state: ThreadState, select: readonly string[] | undefined): object {
  if (!select) return state;
  const keys = select.flatMap((field) =>
    field.startsWith('values.') ? [field.slice('values.'.length)] : [],
  );
  const shown = Object.entries(state).filter(([field]) => select.includes(field));
  const { values } = state;
  if (keys.length === 0 || select.includes('values') || typeof values !== 'object' || values === null) {
    return Object.fromEntries(shown);
  }
  const some = Object.entries(values).filter(([key]) => keys.includes(key));
  return Object.fromEntries([...shown, ['values', Object.fromEntries(some)]]);
}
