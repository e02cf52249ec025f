import { isBlock } from './content.ts';

/** A message of a graph's state: a LangChain message of any copy of the library, or a plain `{role, content}`. */
export interface GraphMessage {
  kind: 'ai' | 'tool' | 'human' | 'other';
  id?: string;
  content: unknown;
  toolCalls: { id: string; name: string; args: unknown }[];
  /** Of a tool message. */
  toolCallId?: string;
  failed: boolean;
  source: object;
}

const ROLES: { [role: string]: GraphMessage['kind'] } = {
  ai: 'ai',
  assistant: 'ai',
  tool: 'tool',
  human: 'human',
  user: 'human',
};

/** Reads what a node wrote into `messages`; what is no message (a removal, a string) is left out. */
export function messagesOf(written: unknown): GraphMessage[] {
  const list = isBlock(written) && Array.isArray(written.$writes) ? written.$writes.flat() : written;
  return (Array.isArray(list) ? list : [list]).flatMap((one) => messageOf(one) ?? []);
}

function messageOf(value: unknown): GraphMessage | undefined {
  if (!isBlock(value)) return undefined;
  const role = typeOf(value);
  if (role === undefined || role === 'remove') return undefined;
  const calls = Array.isArray(value.tool_calls) ? value.tool_calls.filter(isBlock) : [];
  return {
    kind: ROLES[role] ?? 'other',
    ...(typeof value.id === 'string' ? { id: value.id } : {}),
    content: value.content,
    toolCalls: calls.map((call) => ({
      id: String(call.id ?? ''),
      name: String(call.name ?? ''),
      args: call.args,
    })),
    ...(typeof value.tool_call_id === 'string' ? { toolCallId: value.tool_call_id } : {}),
    failed: value.status === 'error',
    source: value,
  };
}

function typeOf(value: { [key: string]: unknown }): string | undefined {
  const { _getType: getType, role, type } = value;
  if (typeof getType === 'function') return String(getType.call(value));
  return typeof role === 'string' ? role : typeof type === 'string' ? type : undefined;
}
