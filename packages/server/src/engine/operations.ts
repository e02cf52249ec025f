import {
  A2AError,
  type CancelTaskRequest,
  type GetTaskRequest,
  isTerminal,
  type ListTasksRequest,
  type ListTasksResponse,
  type Message,
  type SendMessageRequest,
  type SendMessageResponse,
  type SubscribeToTaskRequest,
  type Task,
} from '@parley/protocol';
import { awaitStop } from './await-stop.ts';
import type { Caller } from './caller.ts';
import type { EventStream } from './event-stream.ts';
import { historyWindow } from './history-window.ts';
import type { OwnTurn } from './ports/run.ts';
import type { Store } from './ports/store.ts';
import type { Wake } from './ports/wake.ts';
import { existingTask, refOf, unknownTask, withHistory } from './read-task.ts';
import { createSending } from './send.ts';
import { streamTask } from './stream-task.ts';
import type { Worker } from './worker.ts';

export interface OperationsOptions {
  store: Store;
  wake: Wake;
  maxHistoryLength: number;
  queuePerContext: number;
  settingsOf(assistantId: string): AnswerSettings;
  pollMs: number;
  /** Carries out runs in this process. */
  worker?: Pick<Worker, 'claimant' | 'start'>;
}

/** How an assistant answers. */
export interface AnswerSettings {
  /** Token deltas are stored for every run, watched or not. */
  streamTokens: boolean;
  /** A stream may be one bare Message: its first event waits for the first output. */
  messageReplies: boolean;
  /** Its agent has a turn before a task of it is canceled. */
  cancelTurn: boolean;
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

  return {
    ...createSending(options),

    getTask: async (caller, request) => {
      const { scope, length } = historyWindow(request, caller, options.maxHistoryLength);
      const ref = refOf(caller, request.id);
      return withHistory(store, await existingTask(store, ref), ref, scope, length);
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
      const historyIn = (contextId: string): Store['history'] =>
        scope === 'task'
          ? store.history
          : (...asked) => {
              const read = contexts.get(contextId) ?? store.history(...asked);
              contexts.set(contextId, read);
              return read;
            };
      const tasks = await Promise.all(
        page.tasks.map((task, i) => {
          const found = { task, upTo: page.upTo[i] ?? 0 };
          return withHistory(
            { history: historyIn(task.contextId) },
            found,
            refOf(caller, task.id),
            scope,
            length,
          );
        }),
      );
      return { tasks, nextPageToken: page.next ?? '', pageSize, totalSize: page.total };
    },

    cancelTask: async (caller, request) => {
      const ref = refOf(caller, request.id);
      const before = await existingTask(store, ref);
      const { cancelTurn } = options.settingsOf(caller.assistantId);
      const result = await store.requestCancel(ref, cancelTurn ? turnBeforeCancel(request) : undefined);
      if (result.kind === 'unknown') throw unknownTask(request.id);
      if (result.kind === 'canceled') wake.publish(request.id, result.events);
      if (result.kind === 'signalled') {
        wake.signal('cancel', request.id);
        wake.signal('run', request.id);
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
      const after = await existingTask(store, ref);
      const { state } = after.task.status;
      // It had ended, or its run came first.
      if (isTerminal(state) && state !== 'TASK_STATE_CANCELED') {
        throw new A2AError('task-not-cancelable', undefined, { metadata: { taskId: request.id } });
      }
      return withHistory(store, after, ref, 'task');
    },

    subscribeToTask: async (caller, request, after) => {
      const ref = refOf(caller, request.id);
      const snapshot = await existingTask(store, ref);
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
      const task = await withHistory(store, snapshot, ref, 'task');
      return streamTask({ ...follows, first: { task, seq: snapshot.seq }, ended });
    },
  };
}

/** Events after `seq` are still in the log: they expire some time after the task has ended. */
async function replayable(store: Store, taskId: string, seq: number): Promise<boolean> {
  const [next] = await store.read(taskId, seq, 1);
  return next === undefined || next.seq === seq + 1;
}

function turnBeforeCancel({ metadata }: CancelTaskRequest): OwnTurn {
  return { kind: 'cancel', followUp: true, stream: true, ...(metadata ? { metadata } : {}) };
}
