import { ProtocolMisuseError } from './misuse.ts';
import type { Artifact, Message, Part, Task, TaskArtifactUpdateEvent, TaskEvent } from './model.ts';
import { answerArtifactId, isClosing, joinText, mergeArtifact, mergeMetadata } from './task-fold.ts';
import { isTerminal } from './task-state.ts';

export interface Fold {
  /** As `applyEvent`, in time proportional to the event alone. */
  apply(event: TaskEvent): void;
  /** The task so far, never changed later; `undefined` before the first event. Costs by what changed since the last. */
  task(): Task | undefined;
}

/** An artifact under construction: `parts` belongs to the fold, `built` is the last one handed out. */
interface OpenArtifact {
  head: Artifact;
  parts: Part[];
  built: Artifact | undefined;
}

const open = (artifact: Artifact): OpenArtifact => ({
  head: artifact,
  parts: [...artifact.parts],
  built: artifact,
});

function append(into: OpenArtifact, chunk: Artifact): void {
  into.head = mergeArtifact(into.head, chunk);
  into.built = undefined;
  if (isClosing(chunk.parts) && into.parts.length > 0) return;
  const joined = joinText(into.parts.at(-1), chunk.parts[0]);
  if (joined !== undefined) into.parts[into.parts.length - 1] = joined;
  for (const part of joined === undefined ? chunk.parts : chunk.parts.slice(1)) into.parts.push(part);
}

/** A mutable fold of an event log, for tasks with many chunks. */
export function createFold(initial?: Task): Fold {
  let head: Task | undefined;
  let artifacts = new Map<string, OpenArtifact>();
  let history: Message[] = [];
  let built: Task | undefined;

  function start(task: Task): void {
    head = task;
    built = task;
    artifacts = new Map();
    for (const artifact of task.artifacts ?? []) artifacts.set(artifact.artifactId, open(artifact));
    history = [...(task.history ?? [])];
  }

  function applyArtifact({ artifact, append: appends = false }: TaskArtifactUpdateEvent): void {
    const known = artifacts.get(artifact.artifactId);
    if (known !== undefined && appends) append(known, artifact);
    else artifacts.set(artifact.artifactId, open(artifact));
  }

  function moveToFront(artifactId: string): void {
    const answer = artifacts.get(artifactId);
    if (answer !== undefined) artifacts = new Map([[artifactId, answer], ...artifacts]);
  }

  function applyUpdate(before: Task, event: Exclude<TaskEvent, { task: Task }>): void {
    built = undefined;
    if ('history' in event) history.push(event.history);
    else if ('artifactUpdate' in event) applyArtifact(event.artifactUpdate);
    else {
      const { status, metadata: more } = event.statusUpdate;
      const metadata = mergeMetadata(before.metadata, more);
      head = { ...before, status, ...(metadata === undefined ? {} : { metadata }) };
      const answerId = answerArtifactId(event.statusUpdate);
      if (answerId !== undefined) moveToFront(answerId);
    }
  }

  function apply(event: TaskEvent): void {
    if (head !== undefined && isTerminal(head.status.state)) return;
    if ('task' in event) start(event.task);
    else if (head !== undefined) applyUpdate(head, event);
    else throw new ProtocolMisuseError('FOLD_WITHOUT_TASK', 'the first event must be the task');
  }

  function task(): Task | undefined {
    if (built !== undefined || head === undefined) return built;
    built = { ...head };
    if (artifacts.size > 0) {
      built.artifacts = [...artifacts.values()].map((item) => {
        item.built ??= { ...item.head, parts: [...item.parts] };
        return item.built;
      });
    }
    if (history.length > 0) built.history = [...history];
    return built;
  }

  if (initial !== undefined) start(initial);
  return { apply, task };
}
