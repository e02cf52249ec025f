import type { DataPart, JsonObject } from '@parley/protocol';
import { jsonOf } from './content.ts';
import type { GraphMessage } from './messages.ts';

/** `undefined` publishes the results of all tools (`A2A_ALLOWED_TOOL_CALL_RESULTS`). */
export type AllowedTools = ReadonlySet<string> | undefined;

export function readAllowedTools(value: string | undefined): AllowedTools {
  if (value === undefined) return undefined;
  return new Set(
    value
      .split(',')
      .map((name) => name.trim())
      .filter((name) => name !== ''),
  );
}

/** The calls of one AI message and the results that came in for them. `Origin` is where they are published. */
interface Group<Origin> {
  origin: Origin;
  calls: GraphMessage['toolCalls'];
  results: Map<string, GraphMessage>;
}

export interface Correlated<Origin> {
  origin: Origin;
  part: DataPart;
}

export interface ToolCalls<Origin> {
  open(origin: Origin, calls: GraphMessage['toolCalls']): void;
  /** Returns the group that this result completes. A result without a call belongs to nothing. */
  answer(result: GraphMessage): Correlated<Origin> | undefined;
  /** The groups that are still incomplete. */
  rest(): Correlated<Origin>[];
}

/** Brings tool results back to the message that made the calls (docs/behaviour.md, "Tool results"). */
export function correlateToolCalls<Origin>(allowed: AllowedTools): ToolCalls<Origin> {
  const byCall = new Map<string, Group<Origin>>();
  const close = (group: Group<Origin>): Correlated<Origin> => {
    for (const call of group.calls) byCall.delete(call.id);
    return { origin: group.origin, part: partOf(group, allowed) };
  };
  return {
    open: (origin, calls) => {
      const group = { origin, calls, results: new Map() };
      for (const call of calls) byCall.set(call.id, group);
    },
    answer: (result) => {
      const group = result.toolCallId === undefined ? undefined : byCall.get(result.toolCallId);
      if (!group || result.toolCallId === undefined) return undefined;
      group.results.set(result.toolCallId, result);
      return group.results.size === group.calls.length ? close(group) : undefined;
    },
    rest: () => [...new Set(byCall.values())].map(close),
  };
}

/** Calls of filtered tools keep their name and id; neither arguments nor results go out. */
function partOf(group: Group<unknown>, allowed: AllowedTools): DataPart {
  const shown = (name: string): boolean => allowed === undefined || allowed.has(name);
  const toolCalls = group.calls.map(
    ({ id, name, args }): JsonObject => (shown(name) ? { id, name, args: jsonOf(args) } : { id, name }),
  );
  const toolResults = group.calls.flatMap(({ id, name }): JsonObject[] => {
    const result = group.results.get(id);
    if (!result || !shown(name)) return [];
    return [
      { toolCallId: id, name, status: result.failed ? 'error' : 'success', content: jsonOf(result.content) },
    ];
  });
  return { data: { toolCalls, toolResults }, metadata: { langgraph: 'tools' } };
}
