import { ApiError } from '../assistants/api-error.ts';
import type { Assistants } from '../assistants/assistants.ts';
import type { Wake } from '../engine/ports/wake.ts';
import {
  EMPTY_STATE,
  type HistoryPage,
  readHistory,
  readState,
  type StateTarget,
  type ThreadState,
  type ThreadView,
} from '../langgraph/thread-state.ts';
import type { ThreadFilter, ThreadPage, ThreadRecord, ThreadStore } from './ports.ts';

/** Which thread: a contextId and, where several assistants share it, one of those, by id or graph id. */
export interface ThreadName {
  id: string;
  assistant?: string | undefined;
}

/** One function per operation on threads (LangGraph API). */
export interface Threads {
  get(owner: string, name: ThreadName): Promise<ThreadRecord>;
  search(owner: string, filter: ThreadFilter, page: ThreadPage): Promise<ThreadRecord[]>;
  count(owner: string, filter: ThreadFilter): Promise<number>;
  state(owner: string, name: ThreadName, target?: StateTarget, subgraphs?: boolean): Promise<ThreadState>;
  /** The newest state of a thread that was found just now. */
  stateOf(owner: string, thread: ThreadRecord): Promise<ThreadState>;
  history(owner: string, name: ThreadName, page: HistoryPage): Promise<ThreadState[]>;
  delete(owner: string, name: ThreadName): Promise<void>;
}

export function createThreads(options: {
  store: ThreadStore;
  assistants: Assistants;
  wake: Pick<Wake, 'signal'>;
}): Threads {
  const { store, assistants, wake } = options;

  const get = async (owner: string, { id, assistant }: ThreadName): Promise<ThreadRecord> => {
    const all = await store.find(owner, id);
    const asked = assistant === undefined ? undefined : (await assistants.find(assistant, owner))?.id;
    const found =
      assistant === undefined ? all : all.filter((one) => one.assistantId === (asked ?? assistant));
    const [only, ...others] = found;
    if (!only) throw new ApiError('unknown', `Thread with ID ${id.slice(0, 256)} not found`);
    if (others.length === 0) return only;
    const sharing = found.map(({ assistantId, graphId }) => ({
      assistant_id: assistantId,
      graph_id: graphId,
    }));
    const detail = 'Several assistants share this thread id: choose one with ?assistant_id=';
    throw new ApiError('conflict', detail, { assistants: sharing });
  };
  /** `none`: what there is of a thread whose assistant is gone, as nobody can tell what its checkpoints mean. */
  const view = async <T>(
    owner: string,
    thread: ThreadRecord,
    none: T,
    body: (view: ThreadView) => Promise<T>,
  ): Promise<T> => {
    const assistant = await assistants.find(thread.assistantId, owner);
    if (!assistant) return none;
    const { agent } = assistant;
    return store.read(thread, (saver) => body({ threadId: thread.id, saver, agent, assistant }));
  };

  return {
    get,
    search: (owner, filter, page) => store.search(owner, filter, page),
    count: (owner, filter) => store.count(owner, filter),
    state: async (owner, name, target = {}, subgraphs = false) => {
      const thread = await get(owner, name);
      const state = await view(owner, thread, EMPTY_STATE, (one) => readState(one, target, subgraphs));
      if (!state) throw new ApiError('unknown', `Thread ${thread.id} has no such checkpoint`);
      return state;
    },
    stateOf: async (owner, thread) =>
      (await view(owner, thread, EMPTY_STATE, (one) => readState(one, {}, false))) ?? EMPTY_STATE,
    history: async (owner, name, page) => {
      const thread = await get(owner, name);
      return view(owner, thread, [], (one) => readHistory(one, page));
    },
    delete: async (owner, name) => {
      const thread = await get(owner, name);
      const forgotten = await store.forget(owner, thread);
      if (forgotten.kind === 'unknown')
        throw new ApiError('unknown', `Thread with ID ${thread.id} not found`);
      if (forgotten.kind === 'busy') {
        const tasks = forgotten.tasks.slice(0, 10);
        const why = 'Thread is busy: cancel its tasks first. Nothing was deleted';
        throw new ApiError('conflict', why, { tasks });
      }
      for (const taskId of forgotten.tasks) wake.signal('forgotten', taskId);
    },
  };
}
