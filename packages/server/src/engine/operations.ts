import {
  A2AError,
  type CancelTaskRequest,
  endsStream,
  type GetTaskRequest,
  type HistoryScope,
  isTerminal,
  type ListTasksRequest,
  type ListTasksResponse,
  type Message,
  type SendMessageRequest,
  type SendMessageResponse,
  type SubscribeToTaskRequest,
  type Task,
} from '@parley/protocol';
import { admitMessage } from './admit.ts';
import { awaitStop, type Stop } from './await-stop.ts';
import type { Caller } from './caller.ts';
import type { EventStream } from './event-stream.ts';
import { historyWindow } from './history-window.ts';
import { inboundOf } from './inbound.ts';
import type { Snapshot, Store, Submitted, TaskRef, Wake } from './ports.ts';
import { streamTask } from './stream-task.ts';
import type { Worker } from './worker.ts';

export interface OperationsOptions {
  store: Store;
  wake: Wake;
  maxHistoryLength: number;
  queuePerContext: number;
  /** Token deltas are stored for every run of this assistant, watched or not. */
  streamsTokens(assistantId: string): boolean;
  pollMs: number;
  /** Carries out runs in this process. */
  worker?: Pick<Worker, 'claimant' | 'start'>;
}

/** One function per A2A operation (A2A 1.0, section 3.1). Bindings call nothing else. */
export interface Operations {
  sendMessage(caller: Caller, request: SendMessageRequest): Promise<SendMessageResponse>;
  sendStreamingMessage(caller: Caller, request: SendMessageRequest): Promise<EventStream>;
  getTask(caller: Caller, request: GetTaskRequest): Promise<Task>;
  listTasks(caller: Caller, request: ListTasksRequest): Promise<ListTasksResponse>;
  cancelTask(caller: Caller, request: CancelTaskRequest): Promise<Task>;
  /** `after`: `Last-Event-ID`, whose successors are replayed instead of a snapshot. */
  subscribeToTask(caller: Caller, request: SubscribeToTaskRequest, after?: number): Promise<EventStream>;
}

const DEFAULT_PAGE_SIZE = 50;

export function createOperations(options: OperationsOptions): Operations {
  const { store, wake, pollMs } = options;
  const admit = admitMessage(options);

  const submit = (caller: Caller, request: SendMessageRequest, streaming: boolean): Promise<Submitted> => {
    const tokens = options.streamsTokens(caller.assistantId);
    const inbound = inboundOf(caller, request, { streaming, tokens });
    return store.submit(inbound, admit, options.worker?.claimant());
  };
  /** Lets the run begin; whoever waits for it listens by now. */
  const begin = ({ taskId, joined, events, claimed }: Submitted): void => {
    if (joined) return;
    wake.publish(taskId, claimed ? [...events, ...claimed.events] : events);
    if (claimed) options.worker?.start(claimed);
    else wake.signal('run', taskId);
  };
  const refOf = (caller: Caller, taskId: string): TaskRef => ({
    owner: caller.owner,
    assistantId: caller.assistantId,
    taskId,
  });
  const existing = async (ref: TaskRef): Promise<Snapshot> => {
    const snapshot = await store.snapshot(ref);
    if (!snapshot) throw unknownTask(ref.taskId);
    return snapshot;
  };
  const withHistory = async (
    task: Task,
    ref: TaskRef,
    scope: HistoryScope,
    limit?: number,
    read: Store['history'] = store.history,
  ): Promise<Task> => {
    if (limit === 0) return task;
    const history: Message[] = await read(ref, scope, limit);
    return history.length === 0 ? task : { ...task, history };
  };
  /** The Task that a stream begins with. */
  const firstOf = async ({ events }: Submitted, ref: TaskRef): Promise<Snapshot> => {
    const [event] = events;
    if (event && 'task' in event.event) return { task: event.event.task, seq: event.seq };
    const { task, seq } = await existing(ref);
    return { task: await withHistory(task, ref, 'task'), seq };
  };
  const stopOf = async (
    submitted: Submitted,
    { signals }: Caller,
    ref: TaskRef,
  ): Promise<Stop | undefined> => {
    const { taskId, seq, joined, claimed } = submitted;
    if (joined) {
      // The log of a task that has ended may have expired.
      const snapshot = await existing(ref);
      if (isTerminal(snapshot.task.status.state)) return { seq: snapshot.seq, snapshot };
    }
    const last = claimed?.events.at(-1)?.seq ?? seq;
    return awaitStop({ store, wake, taskId, after: last, caughtUp: claimed !== undefined, signals, pollMs });
  };

  return {
    sendMessage: async (caller, request) => {
      const { scope, length } = historyWindow(
        request.configuration,
        caller,
        options.maxHistoryLength,
        'configuration.historyLength',
      );
      const submitted = await submit(caller, request, false);
      const ref = refOf(caller, submitted.taskId);
      const atOnce = request.configuration?.returnImmediately === true;
      const stopping = atOnce ? undefined : stopOf(submitted, caller, ref);
      begin(submitted);
      const stop = await stopping;
      if (stop && request.message.taskId !== undefined) await consumed(store, submitted);
      const { task } = stop?.snapshot ?? (await existing(ref));
      return { task: await withHistory(task, ref, scope, length) };
    },

    sendStreamingMessage: async (caller, request) => {
      const submitted = await submit(caller, request, true);
      const ref = refOf(caller, submitted.taskId);
      let first: Snapshot;
      try {
        first = await firstOf(submitted, ref);
      } finally {
        // The run may be claimed already: nobody else would carry it out. It begins once the first frame is
        // written: a graph that starts would hold that up.
        setImmediate(begin, submitted);
      }
      const ended = endsStream(first.task.status.state) && first.seq > submitted.seq;
      const check = (): Promise<void> => consumed(store, submitted);
      return streamTask({
        store,
        wake,
        ref,
        pollMs,
        signals: caller.signals,
        until: 'answer',
        first,
        ended,
        check,
      });
    },

    getTask: async (caller, request) => {
      const { scope, length } = historyWindow(request, caller, options.maxHistoryLength);
      const ref = refOf(caller, request.id);
      const { task } = await existing(ref);
      return withHistory(task, ref, scope, length);
    },

    listTasks: async (caller, request) => {
      const { scope, length } = historyWindow(request, caller, options.maxHistoryLength);
      const pageSize = request.pageSize ?? DEFAULT_PAGE_SIZE;
      const page = await store.list(
        {
          owner: caller.owner,
          assistantId: caller.assistantId,
          ...(request.contextId === undefined ? {} : { contextId: request.contextId }),
          ...(request.status === undefined ? {} : { state: request.status }),
          ...(request.statusTimestampAfter === undefined
            ? {}
            : { statusAfter: request.statusTimestampAfter }),
        },
        {
          size: pageSize,
          artifacts: request.includeArtifacts === true,
          ...(request.pageToken === undefined ? {} : { after: request.pageToken }),
        },
      );
      const contexts = new Map<string, Promise<Message[]>>();
      const tasks = await Promise.all(
        page.tasks.map((task) =>
          withHistory(task, refOf(caller, task.id), scope, length, (ref) => {
            if (scope === 'task') return store.history(ref, scope, length);
            const read = contexts.get(task.contextId) ?? store.history(ref, scope, length);
            contexts.set(task.contextId, read);
            return read;
          }),
        ),
      );
      return { tasks, nextPageToken: page.next ?? '', pageSize, totalSize: page.total };
    },

    cancelTask: async (caller, request) => {
      const ref = refOf(caller, request.id);
      const before = await existing(ref);
      const result = await store.requestCancel(ref);
      if (result.kind === 'unknown') throw unknownTask(request.id);
      if (result.kind === 'canceled') wake.publish(request.id, result.events);
      if (result.kind === 'signalled') {
        wake.signal('cancel', request.id);
        await awaitStop({
          store,
          wake,
          taskId: request.id,
          after: before.seq,
          signals: caller.signals,
          pollMs,
          until: 'terminal',
        });
      }
      const { task } = await existing(ref);
      // It had ended, or its run came first.
      if (isTerminal(task.status.state) && task.status.state !== 'TASK_STATE_CANCELED') {
        throw new A2AError('task-not-cancelable', undefined, { metadata: { taskId: request.id } });
      }
      return withHistory(task, ref, 'task');
    },

    subscribeToTask: async (caller, request, after) => {
      const ref = refOf(caller, request.id);
      const snapshot = await existing(ref);
      const follows = { store, wake, ref, pollMs, signals: caller.signals, until: 'terminal' as const };
      const ended = isTerminal(snapshot.task.status.state);
      if (after !== undefined && after <= snapshot.seq && (await replayable(store, ref.taskId, after))) {
        return streamTask({ ...follows, after, ended: ended && after === snapshot.seq });
      }
      if (ended && after === undefined) {
        throw new A2AError('unsupported-operation', `task ${request.id} has ended`, {
          metadata: { taskId: request.id },
        });
      }
      const task = await withHistory(snapshot.task, ref, 'task');
      return streamTask({ ...follows, first: { task, seq: snapshot.seq }, ended });
    },
  };
}

/** Events after `seq` are still in the log: they expire some time after the task has ended. */
async function replayable(store: Store, taskId: string, seq: number): Promise<boolean> {
  const [next] = await store.read(taskId, seq, 1);
  return next === undefined || next.seq === seq + 1;
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

function unknownTask(taskId: string): A2AError {
  return new A2AError('task-not-found', undefined, { metadata: { taskId } });
}
