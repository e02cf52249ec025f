import type { Artifact, Part } from '@parley/protocol';
import type { Entry } from '../engine/ports/log.ts';
import type { Lease } from '../engine/ports/run.ts';

const ANSWER_NAME = 'Assistant Response';

export interface Chunk {
  append?: boolean;
  lastChunk?: boolean;
}

/** Events of one task, as an agent's output becomes them. A key that the task's log holds already is dropped there. */
export interface TaskWriter {
  artifact(key: string, artifact: Artifact, chunk?: Chunk): void;
  /** A piece of an artifact's text, which may be stored together with its neighbours. */
  delta(artifact: Artifact, chunk: Chunk): void;
  /** A message of the agent in the task's history. */
  history(key: string, messageId: string, parts: Part[]): void;
}

export function createTaskWriter({ lease, emit }: { lease: Lease; emit(entry: Entry): void }): TaskWriter {
  const { taskId } = lease;
  const { contextId } = lease.lane;
  const update = (artifact: Artifact, chunk: Chunk): Entry['event'] => ({
    artifactUpdate: { taskId, contextId, artifact, ...chunk },
  });
  return {
    artifact: (key, artifact, chunk = {}) => emit({ taskId, key, event: update(artifact, chunk) }),
    delta: (artifact, chunk) => emit({ taskId, event: update(artifact, chunk), delta: true }),
    history: (key, messageId, parts) => {
      const message = { messageId, contextId, taskId, role: 'ROLE_AGENT' as const, parts };
      emit({ taskId, key: `${key}:history`, event: { history: message } });
    },
  };
}

/** The first piece of an agent's answer. */
export function titled(artifactId: string, parts: Part[], messageId?: string): Artifact {
  return {
    artifactId,
    name: ANSWER_NAME,
    parts,
    ...(messageId === undefined ? {} : { metadata: { messageId } }),
  };
}
