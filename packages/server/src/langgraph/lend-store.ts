import { isBlock } from './content.ts';
import type { CompiledGraph } from './graph.ts';

/**
 * The store of a run: the one that its graph was compiled with, else the one in `config`, ours. LangGraph puts a queue
 * before a store, which knows neither `listNamespaces` nor an item's `index` and looks every millisecond of a run
 * whether it holds something: 200 runs that wait for a model take a fifth of a core. With ours, a graph's own nodes get
 * the store itself, those of its subgraphs the queue.
 */
export function lendStore<C extends object>(
  graph: CompiledGraph,
  config: C,
): { graph: CompiledGraph; config: C } {
  if (graph.store) return { graph, config: { ...config, store: graph.store } };
  return { graph: withDirectStore(graph), config };
}

const direct = new WeakMap<CompiledGraph, CompiledGraph>();

/** The graph itself is not changed. If `_defaults` has another name one day, the queue is back. */
function withDirectStore(graph: CompiledGraph): CompiledGraph {
  const known = direct.get(graph);
  if (known) return known;
  const made =
    typeof graph._defaults === 'function' ? Object.create(graph, { _defaults: withoutQueue }) : graph;
  direct.set(graph, made);
  return made;
}

/** LangGraph's `_defaults` answers a tuple, in it the store that the queue is made for: without one there is none. */
const withoutQueue: PropertyDescriptor = {
  value(this: CompiledGraph, config: unknown): unknown {
    const tuple: unknown = Object.getPrototypeOf(this)._defaults.call(this, config);
    const store = isBlock(config) ? config.store : undefined;
    return Array.isArray(tuple) && store ? tuple.map((one) => (one === store ? undefined : one)) : tuple;
  },
};
