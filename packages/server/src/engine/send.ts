import {
  A2AError,
  endsStream,
  type Message,
  type SendMessageRequest,
  type SendMessageResponse,
} from '@parley/protocol';
import { admitMessage } from './admit.ts';
import { awaitStop, type Stop } from './await-stop.ts';
import type { Caller } from './caller.ts';
import type { EventStream } from './event-stream.ts';
import { historyWindow } from './history-window.ts';
import { inboundOf } from './inbound.ts';
import type { OperationsOptions } from './operations.ts';
import type { Snapshot } from './ports/log.ts';
import type { RunOutcome } from './ports/run.ts';
import type { Store, TaskRef } from './ports/store.ts';
import type { Submitted } from './ports/submission.ts';
import { existingTask, refOf, withHistory } from './read-task.ts';
import { streamMessage, streamReply } from './stream-reply.ts';
import { type First, type StreamTaskOptions, streamTask } from './stream-task.ts';

export interface Sending {
  sendMessage(caller: Caller, request: SendMessageRequest): Promise<SendMessageResponse>;
  sendStreamingMessage(caller: Caller, request: SendMessageRequest): Promise<EventStream>;
}

/** Both ways to send a message (A2A 1.0, sections 3.1.1 and 3.1.2). */
export function createSending(options: OperationsOptions): Sending {
  const { store, wake, pollMs } = options;
  const admit = admitMessage(options);

  const submit = async (caller: Caller, request: SendMessageRequest, streaming: boolean) => {
    const inbound = inboundOf(caller, request, { streaming, ...options.settingsOf(caller.assistantId) });
    const submitted = await store.submit(inbound, admit, options.worker?.claimant());
    return { submitted, takesReply: inbound.takesReply };
  };
  /** Lets the run begin; whoever waits for it listens by now. */
  const begin = ({ taskId, joined, events, claimed }: Submitted): void => {
    if (joined) return;
    wake.publish(taskId, claimed ? [...events, ...claimed.events] : events);
    if (claimed) options.worker?.start(claimed);
    else wake.signal('run', taskId);
  };
  /** How the run of a repeated message has ended: its log may have expired. */
  const earlier = async ({ joined, runId }: Submitted): Promise<RunOutcome | undefined> => {
    const outcome = joined ? await store.outcome(runId) : undefined;
    return outcome?.state === 'queued' || outcome?.state === 'running' ? undefined : outcome;
  };
  const stopOf = async (submitted: Submitted, { signals }: Caller): Promise<Stop | undefined> => {
    const { taskId, seq, joined, claimed } = submitted;
    if (joined && (await earlier(submitted))) return { seq };
    const after = claimed?.events.at(-1)?.seq ?? seq;
    return awaitStop({ store, wake, taskId, after, caughtUp: claimed !== undefined, signals, pollMs });
  };
  /** The task as a blocking sender gets it, or the bare Message in its place. */
  const answerOf = async (
    stop: Stop | undefined,
    { joined, runId }: Submitted,
    ref: TaskRef,
  ): Promise<Snapshot | { message: Message }> => {
    if (stop?.snapshot?.reply) return { message: stop.snapshot.reply };
    if (stop?.snapshot) return stop.snapshot;
    const reply = stop || joined ? (await store.outcome(runId)).reply : undefined;
    return reply ? { message: reply } : existingTask(store, ref);
  };
  /** The Task that a stream begins with. */
  const firstOf = async ({ events }: Submitted, ref: TaskRef): Promise<First> => {
    const [event] = events;
    if (event && 'task' in event.event) return { task: event.event.task, seq: event.seq };
    const snapshot = await existingTask(store, ref);
    return { task: await withHistory(store, snapshot, ref, 'task'), seq: snapshot.seq };
  };

  return {
    sendMessage: async (caller, request) => {
      const { scope, length } = historyWindow(
        request.configuration,
        caller,
        options.maxHistoryLength,
        'configuration.historyLength',
      );
      const { submitted } = await submit(caller, request, false);
      const ref = refOf(caller, submitted.taskId);
      const atOnce = request.configuration?.returnImmediately === true;
      const stopping = atOnce ? undefined : stopOf(submitted, caller);
      begin(submitted);
      const stop = await stopping;
      if (stop && request.message.taskId !== undefined) await consumed(store, submitted);
      const answer = await answerOf(stop, submitted, ref);
      if ('message' in answer) return answer;
      return { task: await withHistory(store, answer, ref, scope, length) };
    },

    sendStreamingMessage: async (caller, request) => {
      const { submitted, takesReply } = await submit(caller, request, true);
      const ref = refOf(caller, submitted.taskId);
      const follows = { store, wake, ref, pollMs, signals: caller.signals };
      const fromTask = async (): Promise<StreamTaskOptions> => {
        const first = await firstOf(submitted, ref);
        const ended = endsStream(first.task.status.state) && first.seq > submitted.seq;
        const check = (): Promise<void> => consumed(store, submitted);
        return { ...follows, until: 'answer', first, ended, check };
      };
      try {
        const reply = (await earlier(submitted))?.reply;
        if (reply) return streamMessage(reply, submitted.seq);
        if (takesReply) return streamReply({ ...follows, submitted, fromTask });
        return streamTask(await fromTask());
      } finally {
        // The run may be claimed already: nobody else would carry it out. It begins once the first frame is
        // written: a graph that starts would hold that up.
        setImmediate(begin, submitted);
      }
    },
  };
}

/** Throws what the sender of a follow-up gets if no run consumed it. */
async function consumed(store: Store, submitted: Submitted): Promise<void> {
  const { state, refusal } = await store.outcome(submitted.runId);
  if (state === 'dropped') {
    throw new A2AError(
      'unsupported-operation',
      `task ${submitted.taskId} ended before this message had its turn`,
      {
        metadata: { taskId: submitted.taskId },
      },
    );
  }
  if (state === 'refused') {
    const description =
      typeof refusal?.description === 'string' ? refusal.description : 'the answer was refused';
    const field = typeof refusal?.field === 'string' ? refusal.field : 'message.parts';
    throw new A2AError('invalid-params', description, { fieldViolations: [{ field, description }] });
  }
}
