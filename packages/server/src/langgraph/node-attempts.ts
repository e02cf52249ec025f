import { BaseCallbackHandler } from '@langchain/core/callbacks/base';

/**
 * Tells when a node is tried again (LangGraph's `retryPolicy`), which no stream mode does. LangGraph waits for a timer
 * before that, so all that the failed try has streamed is taken by then.
 */
export function watchNodeAttempts(onRestart: (namespace: string) => void): BaseCallbackHandler {
  const started = new Set<string>();
  const handler = BaseCallbackHandler.fromMethods({
    // The run's name is in one of the last two places, by the version of the library.
    handleChainStart: (_chain, _inputs, _runId, _runType, _tags, metadata, ...names) => {
      const namespace = metadata?.langgraph_checkpoint_ns;
      if (typeof namespace !== 'string' || !names.includes(String(metadata?.langgraph_node))) return;
      if (started.has(namespace)) onRestart(namespace);
      started.add(namespace);
    },
  });
  handler.awaitHandlers = true;
  handler.ignoreLLM = true;
  handler.ignoreAgent = true;
  handler.ignoreRetriever = true;
  return handler;
}
