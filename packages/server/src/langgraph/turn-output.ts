import { hash } from 'node:crypto';
import type { TurnChunk, TurnOutput } from '@parley/agent';
import { TURN_KEY } from '@parley/agent';
import { formatTimestamp, type Message, type Part, type TaskState } from '@parley/protocol';
import { v5 as uuidV5 } from 'uuid';
import type { RunContext, RunEnd } from '../engine/ports/executor.ts';
import type { Entry } from '../engine/ports/log.ts';
import { titled } from './task-writer.ts';

/** How the turn API asked a run to end, strongest first (docs/turn.md). */
const RANK = ['fail', 'reject', 'require-auth', 'require-input', 'reply'] as const;
type Ending = Extract<TurnOutput, { act: (typeof RANK)[number] }>;

/** What an agent says through the turn API, as events of its task. */
export interface TurnOutputs {
  take(chunk: TurnChunk): void;
  /** The ending that counts: `fail` and `reject` beat an interrupt, the others do not. */
  ending(interrupted: boolean): RunEnd | undefined;
}

export function createTurnOutputs(context: RunContext): TurnOutputs {
  const { lease } = context;
  const { contextId } = lease.lane;
  const counts = new Map<string, { attempt: number; ordinal: number }>();
  const endings = new Map<Ending['act'], Ending>();

  /** The same when the node runs again. */
  const nextPlace = ({ node, nodeAttempt }: TurnChunk): string => {
    const at = node === '' ? lease.runId : node;
    const before = counts.get(at);
    const ordinal = before?.attempt === nodeAttempt ? before.ordinal + 1 : 0;
    counts.set(at, { attempt: nodeAttempt, ordinal });
    return `${at}:${ordinal}`;
  };
  /** An unchanged repetition is known, a changed one goes out. */
  const keyOf = (place: string, output: TurnOutput): string =>
    `${place}:${hash('sha256', JSON.stringify(output), 'base64url').slice(0, 16)}`;
  const says = (
    taskId: string,
    key: string,
    say: { parts: Part[]; metadata?: Message['metadata']; extensions?: string[] },
  ): Message => ({
    messageId: uuidV5(key, lease.runId),
    taskId,
    contextId,
    role: 'ROLE_AGENT',
    parts: say.parts,
    ...(say.metadata ? { metadata: say.metadata } : {}),
    ...(say.extensions?.length ? { extensions: say.extensions } : {}),
  });
  const status = (taskId: string, state: TaskState, message?: Message): Entry['event'] => {
    const told = { state, ...(message ? { message } : {}), timestamp: formatTimestamp(context.now()) };
    return { statusUpdate: { taskId, contextId, status: told } };
  };
  const reply = (said: Message): RunEnd => {
    const { taskId: _, ...message } = said;
    const { messageId: answerArtifactId, parts, metadata, extensions } = message;
    const about = { ...(metadata ? { metadata } : {}), ...(extensions ? { extensions } : {}) };
    const artifact = { ...titled(answerArtifactId, parts), ...about };
    const { runId, taskId } = lease;
    const key = `${runId}:reply`;
    const artifactUpdate = { taskId, contextId, artifact, lastChunk: true };
    const entries: Entry[] = [
      { taskId, key, event: { artifactUpdate } },
      { taskId, key: `${key}:history`, event: { history: said } },
    ];
    return { state: 'TASK_STATE_COMPLETED', answerArtifactId, reply: { message, entries } };
  };

  return {
    take: (chunk) => {
      const output = chunk[TURN_KEY];
      const place = nextPlace(chunk);
      const key = keyOf(place, output);
      const taskId = 'taskId' in output && output.taskId !== undefined ? output.taskId : lease.taskId;
      const emit = (event: Entry['event']): void => context.emit({ taskId, key, event });
      if (output.act === 'artifact') {
        const {
          append,
          lastChunk,
          artifactId = uuidV5(key, lease.runId),
          extensions,
          ...said
        } = output.artifact;
        const artifact = { artifactId, ...said, ...(extensions?.length ? { extensions } : {}) };
        const chunkOf = {
          ...(append === undefined ? {} : { append }),
          ...(lastChunk === undefined ? {} : { lastChunk }),
        };
        emit({ artifactUpdate: { taskId, contextId, artifact, ...chunkOf } });
      } else if (output.act === 'status') {
        const event = status(taskId, 'TASK_STATE_WORKING', says(taskId, key, output));
        context.emit({ taskId, key, event, ...(taskId === lease.taskId ? {} : { keepsState: true }) });
      } else if (output.act === 'cancel') emit(status(taskId, 'TASK_STATE_CANCELED'));
      else if (output.act === 'wake') {
        const { at, data } = output;
        context.emit({ taskId: lease.taskId, key: place, wake: { at, data } });
      } else endings.set(output.act, output);
    },

    ending: (interrupted) => {
      const act = RANK.find((one) => endings.has(one) && !(interrupted && !['fail', 'reject'].includes(one)));
      const ending = act && endings.get(act);
      if (!ending) return undefined;
      const message = says(lease.taskId, `${lease.runId}:${act}`, ending);
      switch (ending.act) {
        case 'fail':
          return { state: 'TASK_STATE_FAILED', message };
        case 'reject':
          return { state: 'TASK_STATE_REJECTED', message };
        case 'require-auth':
          return { state: 'TASK_STATE_AUTH_REQUIRED', message, pending: [] };
        case 'require-input':
          return { state: 'TASK_STATE_INPUT_REQUIRED', message, pending: [] };
        case 'reply':
          return reply(message);
      }
    },
  };
}
