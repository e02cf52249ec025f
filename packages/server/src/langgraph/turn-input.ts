import { dataOf, filesOf, type TurnInput, textOf } from '@parley/agent';
import type { Lease } from '../engine/ports.ts';

/** What the turn API shows of the message that a run consumes. */
export function turnInputOf(lease: Lease): TurnInput {
  const { message, metadata, configuration, context, command, extensions, idempotencyKey, kind } =
    lease.payload;
  return {
    kind,
    message,
    text: textOf(message.parts),
    data: dataOf(message.parts),
    files: filesOf(message.parts),
    queued: lease.queued,
    taskId: lease.taskId,
    contextId: lease.lane.contextId,
    metadata: { ...metadata, ...message.metadata },
    configuration: configuration ?? {},
    ...(context ? { context } : {}),
    ...(command ? { command } : {}),
    principal: lease.lane.owner,
    extensions: extensions ?? [],
    ...(idempotencyKey === undefined ? {} : { idempotencyKey }),
  };
}
