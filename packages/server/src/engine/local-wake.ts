import type { Snapshot, StoredEvent } from './ports/log.ts';
import type { Topic, Wake } from './ports/wake.ts';

type EventListener = (events: readonly StoredEvent[], snapshot?: Snapshot) => void;
type SignalListener = (key: string) => void;

/** The wake-up channel of a single process. `listeners`: those of readers, who have two each. */
export function createLocalWake(): Wake & { listeners(): number } {
  const signals: Record<Topic, Set<SignalListener>> = {
    run: new Set(),
    cancel: new Set(),
    stuck: new Set(),
    forgotten: new Set(),
  };
  const byTask = new Map<string, Set<EventListener>>();
  return {
    signal: (topic, key) => {
      for (const listener of signals[topic]) listener(key);
    },
    onSignal: (topic, listener) => {
      signals[topic].add(listener);
      return () => signals[topic].delete(listener);
    },
    publish: (taskId, events, snapshot) => {
      for (const listener of byTask.get(taskId) ?? []) listener(events, snapshot);
    },
    onEvents: (taskId, listener) => {
      const listeners = byTask.get(taskId) ?? new Set();
      byTask.set(taskId, listeners.add(listener));
      return () => {
        listeners.delete(listener);
        if (listeners.size === 0) byTask.delete(taskId);
      };
    },
    listeners: () => [...byTask.values(), signals.stuck].reduce((sum, set) => sum + set.size, 0),
  };
}
