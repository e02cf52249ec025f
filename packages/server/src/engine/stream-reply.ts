import type { Message, TaskEvent } from '@parley/protocol';
import type { EventStream, StreamedEvent } from './event-stream.ts';
import { type FollowOptions, follow } from './follow.ts';
import type { TaskRef } from './ports/store.ts';
import type { Submitted } from './ports/submission.ts';
import { existingTask } from './read-task.ts';
import { type StreamTaskOptions, streamTask } from './stream-task.ts';

export interface StreamReplyOptions extends Pick<FollowOptions, 'store' | 'wake' | 'signals' | 'pollMs'> {
  ref: TaskRef;
  submitted: Submitted;
  /** The stream that it is if the agent answers with a Task. */
  fromTask(): Promise<StreamTaskOptions>;
}

/**
 * The stream of an agent that may answer with one bare Message (A2A 1.0, section 3.1.2): nothing goes out before the
 * agent has said something.
 */
export async function* streamReply(options: StreamReplyOptions): EventStream {
  const { store, ref, submitted } = options;
  const { taskId, runId, seq } = submitted;
  for await (const batch of follow({ ...options, taskId, after: seq })) {
    if (!batch.some(({ event }) => speaks(event))) continue;
    const { reply } = await store.outcome(runId);
    if (reply) return yield [message(reply, batch.at(-1)?.seq ?? seq)];
    // Its agent has said something else: from here on the task is there to stay.
    await existingTask(store, ref);
    return yield* streamTask(await options.fromTask());
  }
}

/** One bare Message and nothing else. */
export async function* streamMessage(reply: Message, seq: number): EventStream {
  yield [message(reply, seq)];
}

function message(reply: Message, id: number): StreamedEvent {
  return { id, event: { message: reply }, final: true };
}

function speaks(event: TaskEvent): boolean {
  if (!('statusUpdate' in event)) return 'artifactUpdate' in event;
  const { state, message } = event.statusUpdate.status;
  return state !== 'TASK_STATE_WORKING' || message !== undefined;
}
