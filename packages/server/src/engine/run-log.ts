import type { TaskArtifactUpdateEvent, TaskEvent } from '@parley/protocol';
import type { Written } from './ports/log.ts';
import type { Lease } from './ports/run.ts';
import type { Store } from './ports/store.ts';
import type { Wake } from './ports/wake.ts';

/** Events wait at most this long for company: one transaction and one wake-up for all of them. */
const FLUSH_MS = 2;

/** What a run has said and the store does not hold yet. */
export interface RunLog {
  emit(entry: Written): void;
  /** Resolves when everything emitted so far is stored or was refused by the store. */
  flush(): Promise<void>;
  /** Closes the log and hands over what was not stored, for the transaction that ends the run. */
  drain(): Promise<Written[]>;
  /** What the store threw first. The entries that it refused are dropped, those after them are not. */
  failure(): { error: unknown } | undefined;
  /** Nothing is taken from now on: the agent may go on talking after its run was written off. */
  close(): void;
}

export function openRunLog(
  store: Store,
  wake: Wake,
  lease: Lease,
  onFailure: (error: unknown) => void,
): RunLog {
  let waiting: Written[] = [];
  let timer: NodeJS.Timeout | undefined;
  let writing: Promise<void> = Promise.resolve();
  let failed: { error: unknown } | undefined;
  let closed = false;

  const write = async (): Promise<void> => {
    const entries = joinDeltas(waiting);
    waiting = [];
    if (entries.length === 0) return;
    try {
      publishByTask(wake, await store.append(lease, entries));
    } catch (error) {
      failed ??= { error };
      onFailure(error);
    }
  };
  const flush = (): Promise<void> => {
    clearTimeout(timer);
    timer = undefined;
    writing = writing.then(write);
    return writing;
  };
  const close = (): void => {
    closed = true;
    clearTimeout(timer);
    waiting = [];
  };
  return {
    emit: (entry) => {
      if (closed) return;
      waiting.push(entry);
      timer ??= setTimeout(() => void flush(), FLUSH_MS);
    },
    flush,
    drain: async () => {
      const rest = waiting;
      close();
      await writing;
      return joinDeltas(rest);
    },
    failure: () => failed,
    close,
  };
}

export function publishByTask(
  wake: Wake,
  events: readonly { taskId: string; seq: number; event: TaskEvent }[],
): void {
  let start = 0;
  for (let end = 1; end <= events.length; end++) {
    const taskId = events[start]?.taskId;
    if (taskId === undefined || events[end]?.taskId === taskId) continue;
    wake.publish(taskId, events.slice(start, end));
    start = end;
  }
}

/** Consecutive pieces of one artifact's text become one event. */
function joinDeltas(entries: Written[]): Written[] {
  if (entries.length < 2) return entries;
  const joined: Written[] = [];
  for (const entry of entries) {
    const last = joined.at(-1);
    const update = last && joinable(last, entry);
    if (update) joined[joined.length - 1] = { ...last, event: { artifactUpdate: update } };
    else joined.push(entry);
  }
  return joined;
}

function joinable(first: Written, second: Written): TaskArtifactUpdateEvent | undefined {
  if ('wake' in first || 'wake' in second) return;
  if (!first.delta || !second.delta || first.taskId !== second.taskId) return;
  if (!('artifactUpdate' in first.event) || !('artifactUpdate' in second.event)) return;
  const a = first.event.artifactUpdate;
  const b = second.event.artifactUpdate;
  if (!b.append || a.lastChunk || a.artifact.artifactId !== b.artifact.artifactId || b.metadata) return;
  if (Object.keys(b.artifact).length !== 2) return;
  const left = plainText(a.artifact.parts);
  const right = plainText(b.artifact.parts);
  if (left === undefined || right === undefined) return;
  return {
    ...a,
    artifact: { ...a.artifact, parts: [{ text: left + right }] },
    ...(b.lastChunk ? { lastChunk: true } : {}),
  };
}

function plainText(parts: readonly object[]): string | undefined {
  const [only, ...others] = parts;
  if (!only || others.length > 0 || !('text' in only) || Object.keys(only).length !== 1) return undefined;
  return only.text as string;
}
