import { createHash } from 'node:crypto';
import type { TurnChunk, TurnOutput } from '@parley/agent';
import { TURN_KEY } from '@parley/agent';
import { formatTimestamp, type Message, type Part } from '@parley/protocol';
import { v5 as uuidV5 } from 'uuid';
import type { Entry, RunContext, RunEnd } from '../engine/ports.ts';

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
  const ordinals = new Map<string, number>();
  const endings = new Map<Ending['act'], Ending>();

  const nextKey = (node: string, output: TurnOutput): string => {
    const ordinal = ordinals.get(node) ?? 0;
    ordinals.set(node, ordinal + 1);
    const hash = createHash('sha256').update(JSON.stringify(output)).digest('base64url').slice(0, 16);
    return `${node}:${ordinal}:${hash}`;
  };
  const emit = (taskId: string, key: string, event: Entry['event']): void =>
    context.emit({ taskId, key, event });
  const agentMessage = (
    taskId: string,
    key: string,
    say: { parts: Part[]; metadata?: Message['metadata'] },
  ): Message => ({
    messageId: uuidV5(key, lease.runId),
    taskId,
    contextId,
    role: 'ROLE_AGENT',
    parts: say.parts,
    ...(say.metadata ? { metadata: say.metadata } : {}),
  });

  return {
    take: (chunk) => {
      const output = chunk[TURN_KEY];
      const key = nextKey(chunk.node, output);
      const taskId = 'taskId' in output && output.taskId !== undefined ? output.taskId : lease.taskId;
      if (output.act === 'artifact') {
        const { append, lastChunk, artifactId, ...artifact } = output.artifact;
        const body = { artifactId: artifactId ?? uuidV5(key, lease.runId), ...artifact };
        const flags = {
          ...(append === undefined ? {} : { append }),
          ...(lastChunk === undefined ? {} : { lastChunk }),
        };
        emit(taskId, key, { artifactUpdate: { taskId, contextId, artifact: body, ...flags } });
      } else if (output.act === 'status') {
        const message = agentMessage(taskId, key, output);
        const status = {
          state: 'TASK_STATE_WORKING' as const,
          message,
          timestamp: formatTimestamp(context.now()),
        };
        emit(taskId, key, { statusUpdate: { taskId, contextId, status } });
      } else if (output.act === 'cancel') {
        const status = { state: 'TASK_STATE_CANCELED' as const, timestamp: formatTimestamp(context.now()) };
        emit(taskId, key, { statusUpdate: { taskId, contextId, status } });
      } else if (output.act === 'wake') {
        throw new Error('turn.wakeAt is not available yet');
      } else endings.set(output.act, output);
    },

    ending: (interrupted) => {
      const act = RANK.find((one) => endings.has(one) && !(interrupted && !['fail', 'reject'].includes(one)));
      const ending = act && endings.get(act);
      if (!ending) return undefined;
      const message = agentMessage(lease.taskId, `${lease.runId}:${act}`, ending);
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
          return { state: 'reply', message };
      }
    },
  };
}
