import type { JsonObject, Message, TaskEvent, TaskState } from '@parley/protocol';
import { admitMessage } from '../../packages/server/src/engine/admit.ts';
import type { Entry } from '../../packages/server/src/engine/ports/log.ts';
import type { Claimant, Lease, PendingInterrupt } from '../../packages/server/src/engine/ports/run.ts';
import type { Store, TaskFilter, TaskRef } from '../../packages/server/src/engine/ports/store.ts';
import type { Inbound, Submitted } from '../../packages/server/src/engine/ports/submission.ts';

export const admit = admitMessage({ queuePerContext: 64 });

export const OWNER = 'owner';
export const AGENT = 'agent';

export interface Sending {
  owner?: string;
  assistantId?: string;
  contextId?: string;
  taskId?: string;
  messageId?: string;
  text?: string;
  data?: JsonObject;
  immediate?: boolean;
}

let messages = 0;

export function inbound(sending: Sending = {}): Inbound {
  const {
    owner = OWNER,
    assistantId = AGENT,
    contextId,
    taskId,
    text = 'hello',
    data,
    immediate = false,
  } = sending;
  const message: Message = {
    messageId: sending.messageId ?? `message-${++messages}`,
    role: 'ROLE_USER',
    parts: data ? [{ data }] : [{ text }],
    ...(contextId === undefined ? {} : { contextId }),
    ...(taskId === undefined ? {} : { taskId }),
  };
  return {
    owner,
    assistantId,
    ...(contextId === undefined ? {} : { contextId }),
    ...(taskId === undefined ? {} : { taskId }),
    digest: JSON.stringify([owner, assistantId, message]),
    immediate,
    takesReply: taskId === undefined && !immediate,
    payload: { kind: 'message', message, followUp: taskId !== undefined, stream: false },
  };
}

export const send = (store: Store, sending?: Sending): Promise<Submitted> =>
  store.submit(inbound(sending), admit);

export const claimant = (leaseMs = 60_000, worker = 'worker'): Claimant => ({
  worker,
  leaseMs,
  begin: (lease) => status(lease, 'TASK_STATE_WORKING'),
});

/** The leases of up to `n` runs; a lease of -1 ms has ended when it begins. */
export async function claim(store: Store, n = 1, leaseMs?: number): Promise<Lease[]> {
  return (await store.claim(claimant(leaseMs), n)).map(({ lease }) => lease);
}

export async function claimOne(store: Store, leaseMs?: number): Promise<Lease> {
  const [lease] = await claim(store, 1, leaseMs);
  if (!lease) throw new Error('nothing to claim');
  return lease;
}

export const refOf = (of: { taskId: string }): TaskRef => ({
  owner: OWNER,
  assistantId: AGENT,
  taskId: of.taskId,
});

let stamps = 0;

function status(lease: Lease, state: TaskState, metadata?: JsonObject): Entry {
  const { taskId } = lease;
  const { contextId } = lease.lane;
  const timestamp = new Date(1_800_000_000_000 + ++stamps).toISOString();
  return {
    taskId,
    event: {
      statusUpdate: { taskId, contextId, status: { state, timestamp }, ...(metadata ? { metadata } : {}) },
    },
  };
}

export function delta(lease: Lease, key: string, text: string, append = true, artifactId = 'answer'): Entry {
  const { taskId } = lease;
  return {
    taskId,
    key,
    event: {
      artifactUpdate: {
        taskId,
        contextId: lease.lane.contextId,
        artifact: { artifactId, parts: [{ text }] },
        append,
      },
    },
  };
}

export function says(lease: Lease, key: string, text: string): Entry {
  const message: Message = { messageId: `said-${key}`, role: 'ROLE_AGENT', parts: [{ text }] };
  return { taskId: lease.taskId, key, event: { history: message } };
}

export const end = (lease: Lease, state: TaskState): Entry => status(lease, state);

export const complete = (store: Store, lease: Lease) =>
  store.finish(lease, { entries: [], end: [end(lease, 'TASK_STATE_COMPLETED')], pending: [] });

const question = (id: string): PendingInterrupt => ({ id, value: { question: `${id}?` } });

/** Ends a run with open questions. */
export const pause = (store: Store, lease: Lease, ids: string[], more: Entry[] = []) =>
  store.finish(lease, {
    entries: more,
    end: [
      delta(lease, `${lease.runId}:interrupt`, 'Interrupt', false, 'interrupt'),
      end(lease, 'TASK_STATE_INPUT_REQUIRED'),
    ],
    pending: ids.map(question),
  });

export async function logOf(store: Store, taskId: string): Promise<TaskEvent[]> {
  return (await store.read(taskId, 0, 100_000)).map(({ event }) => event);
}

export async function stateOf(store: Store, of: { taskId: string }): Promise<TaskState | undefined> {
  return (await store.snapshot(refOf(of)))?.task.status.state;
}

/** The tasks of the scenario's caller and agent. */
export const listTasks = (
  store: Store,
  filter: Partial<TaskFilter> = {},
  page: { size?: number; after?: string; artifacts?: boolean } = {},
) =>
  store.list(
    { owner: OWNER, assistantId: AGENT, ...filter },
    {
      size: page.size ?? 100,
      artifacts: page.artifacts ?? false,
      ...(page.after ? { after: page.after } : {}),
    },
  );
