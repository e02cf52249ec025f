/** A task is the fold of its event log. `applyEvent` is the definition, `createFold` the same for long logs. */

import { ProtocolMisuseError } from './misuse.ts';
import type {
  Artifact,
  JsonObject,
  Part,
  Task,
  TaskArtifactUpdateEvent,
  TaskEvent,
  TaskStatusUpdateEvent,
  TextPart,
} from './model.ts';
import { sameJson } from './same-json.ts';
import { isTerminal } from './task-state.ts';

/** The two halves of a text that came in two chunks; `undefined` if they are parts of their own. */
export function joinText(left: Part | undefined, right: Part | undefined): TextPart | undefined {
  if (left === undefined || right === undefined || !('text' in left) || !('text' in right)) return undefined;
  if (left.mediaType !== right.mediaType || left.filename !== right.filename) return undefined;
  if (!sameJson(left.metadata, right.metadata)) return undefined;
  return { ...left, text: left.text + right.text };
}

/** Later keys win; no deep merge. */
export function mergeMetadata(
  into: JsonObject | undefined,
  more: JsonObject | undefined,
): JsonObject | undefined {
  if (more === undefined || into === undefined) return into ?? more;
  return { ...into, ...more };
}

/** Everything of an artifact but its parts, after another chunk of it. */
export function mergeArtifact(artifact: Artifact, chunk: Artifact): Artifact {
  const metadata = mergeMetadata(artifact.metadata, chunk.metadata);
  const extensions =
    artifact.extensions && chunk.extensions
      ? [...new Set([...artifact.extensions, ...chunk.extensions])]
      : (artifact.extensions ?? chunk.extensions);
  return {
    ...artifact,
    ...(chunk.name === undefined ? {} : { name: chunk.name }),
    ...(chunk.description === undefined ? {} : { description: chunk.description }),
    ...(metadata === undefined ? {} : { metadata }),
    ...(extensions === undefined ? {} : { extensions }),
  };
}

/** An empty text says that nothing more comes (`lastChunk` needs a part to stand on): it adds nothing. */
export function isClosing(parts: readonly Part[]): boolean {
  const [only, ...others] = parts;
  return only !== undefined && others.length === 0 && 'text' in only && only.text === '' && !only.metadata;
}

/**
 * A text chunk continues the text before it; the exact text results. Only the seam between two events is joined: parts
 * that one event keeps apart stay apart.
 */
export function appendParts(parts: readonly Part[], more: readonly Part[]): Part[] {
  if (isClosing(more) && parts.length > 0) return [...parts];
  const joined = joinText(parts.at(-1), more[0]);
  return joined === undefined ? [...parts, ...more] : [...parts.slice(0, -1), joined, ...more.slice(1)];
}

function applyArtifact(task: Task, { artifact: chunk, append = false }: TaskArtifactUpdateEvent): Task {
  const artifacts = task.artifacts ?? [];
  const index = artifacts.findIndex(({ artifactId }) => artifactId === chunk.artifactId);
  const known = artifacts[index];
  if (known === undefined) return { ...task, artifacts: [...artifacts, chunk] };
  const next = append
    ? { ...mergeArtifact(known, chunk), parts: appendParts(known.parts, chunk.parts) }
    : chunk;
  return { ...task, artifacts: artifacts.with(index, next) };
}

/** The artifact that a completed status names as the answer. */
export function answerArtifactId({ status, metadata }: TaskStatusUpdateEvent): string | undefined {
  const id = status.state === 'TASK_STATE_COMPLETED' ? metadata?.answerArtifactId : undefined;
  return typeof id === 'string' ? id : undefined;
}

function applyStatus(task: Task, event: TaskStatusUpdateEvent): Task {
  const metadata = mergeMetadata(task.metadata, event.metadata);
  const next = { ...task, status: event.status, ...(metadata === undefined ? {} : { metadata }) };
  const answerId = answerArtifactId(event);
  const answer =
    answerId === undefined ? undefined : task.artifacts?.find((item) => item.artifactId === answerId);
  if (answer === undefined) return next;
  // Clients print the first text that they find.
  return { ...next, artifacts: [answer, ...(task.artifacts ?? []).filter((item) => item !== answer)] };
}

/**
 * The task after one more event. Never changes its arguments; what the event does not touch is shared. Events after a
 * terminal state change nothing (A2A 1.0, section 4.1.3).
 */
export function applyEvent(task: Task | undefined, event: TaskEvent): Task {
  if (task !== undefined && isTerminal(task.status.state)) return task;
  if ('task' in event) return event.task;
  if (task === undefined)
    throw new ProtocolMisuseError('FOLD_WITHOUT_TASK', 'the first event must be the task');
  if ('history' in event) return { ...task, history: [...(task.history ?? []), event.history] };
  if ('artifactUpdate' in event) return applyArtifact(task, event.artifactUpdate);
  return applyStatus(task, event.statusUpdate);
}
