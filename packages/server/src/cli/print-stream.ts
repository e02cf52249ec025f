import type { StreamResponse, Task, TaskArtifactUpdateEvent } from '@parley/protocol';
import type { Out } from './out.ts';
import { printParts } from './print-parts.ts';
import { printArtifacts } from './print-task.ts';
import { stateName } from './task-state.ts';

/** What of a task its end is printed from. */
export type TaskHead = Pick<Task, 'id' | 'contextId' | 'status'>;

export interface StreamPrinter {
  take(event: StreamResponse): void;
  /** The task as the events have left it; none after a bare message. */
  task(): TaskHead | undefined;
}

/**
 * Prints a stream as it comes, with `--json` event by event. `snapshot`: what the task had made before the stream
 * began is printed too.
 */
export function createStreamPrinter(out: Out, options: { snapshot: boolean }): StreamPrinter {
  const artifacts = new Set<string>();
  let task: TaskHead | undefined;
  let current: string | undefined;

  const artifact = ({ artifact: piece, append }: TaskArtifactUpdateEvent): void => {
    const { artifactId, parts } = piece;
    const anew = append !== true && artifacts.has(artifactId);
    if (current !== undefined && (artifactId !== current || anew)) out.clear();
    current = artifactId;
    artifacts.add(artifactId);
    printParts(out, parts);
  };
  const snapshot = (whole: Task): void => {
    if (options.snapshot || task) printArtifacts(out, whole);
    for (const { artifactId } of whole.artifacts ?? []) artifacts.add(artifactId);
  };
  const print = (event: StreamResponse): void => {
    if ('message' in event) printParts(out, event.message.parts);
    else if ('artifactUpdate' in event) artifact(event.artifactUpdate);
    else if ('task' in event) snapshot(event.task);
    else if (event.statusUpdate.status.state === 'TASK_STATE_WORKING') {
      const said = event.statusUpdate.status.message?.parts ?? [];
      for (const part of said) if ('text' in part) out.note(part.text, 'dim');
    }
  };
  return {
    take: (event) => {
      if (out.json) out.value(event);
      else print(event);
      if ('task' in event) task = event.task;
      else if ('statusUpdate' in event) {
        const { taskId: id, contextId, status } = event.statusUpdate;
        task = { id, contextId, status };
      }
      if (task) out.progress(`${stateName(task.status.state)} …`);
    },
    task: () => task,
  };
}
