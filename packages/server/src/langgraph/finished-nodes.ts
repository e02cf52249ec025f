import type { BaseCheckpointSaver, CheckpointTuple } from '@langchain/langgraph-checkpoint';

/** A node of an earlier attempt whose result the thread holds. */
export interface FinishedNode {
  id: string;
  /** `messages` of the state it was given. */
  input: { messages: unknown };
  result: { [channel: string]: unknown };
}

/** LangGraph's id for writes that no node made: input, commands. */
const NO_NODE = '00000000-0000-0000-0000-000000000000';

/**
 * What the nodes of a run have written since its base, oldest first. An attempt that was cut off may not have
 * published it; LangGraph streams no result that it finds stored.
 */
export async function finishedNodes(
  saver: BaseCheckpointSaver,
  config: { configurable: object },
  base: string | null,
): Promise<FinishedNode[]> {
  const root = { configurable: { ...config.configurable, checkpoint_ns: '' } };
  const steps: FinishedNode[][] = [];
  for await (const tuple of saver.list(root)) {
    steps.push(nodesOf(tuple));
    if (tuple.config.configurable?.checkpoint_id === base) break;
  }
  return steps.reverse().flat();
}

function nodesOf({ checkpoint, pendingWrites = [] }: CheckpointTuple): FinishedNode[] {
  const nodes = new Map<string, FinishedNode>();
  for (const [id, channel, value] of pendingWrites) {
    if (id === NO_NODE || channel.startsWith('__') || channel.startsWith('branch:')) continue;
    const node = nodes.get(id) ?? { id, input: { messages: checkpoint.channel_values.messages }, result: {} };
    nodes.set(id, node);
    const written = channel in node.result ? [node.result[channel], value].flat() : value;
    node.result[channel] = written;
  }
  return [...nodes.values()];
}
