import type { Task } from '@parley/protocol';
import { afterEach, expect, it } from 'vitest';
import type { RunEnd } from '../../packages/server/src/engine/ports/executor.ts';
import { CALLER, COMPLETED, type Engine, openEngine } from './engine-harness.ts';

let engine: Engine;
afterEach(() => engine.close());

const ASKS: RunEnd = { state: 'TASK_STATE_INPUT_REQUIRED', pending: [] };

/** A task that waits, in an engine where the next message comes in between the reads of status and history. */
async function openOvertaken(): Promise<{ id: string; overtakeNext(): void; sent: Task }> {
  let overtakes = true;
  let answers = 0;
  engine = openEngine(async () => ASKS, {
    faults: (store) => ({
      history: async (ref, ...window) => {
        if (overtakes) {
          overtakes = false;
          await engine.operations.sendMessage(CALLER, {
            message: {
              messageId: `answer-${++answers}`,
              role: 'ROLE_USER',
              parts: [{ text: `answer ${answers}` }],
              taskId: ref.taskId,
            },
            configuration: { historyLength: 0 },
          });
        }
        return store.history(ref, ...window);
      },
    }),
    fused: {},
  });
  const answer = await engine.say('go');
  if (!('task' in answer)) throw new Error('no task');
  return {
    id: answer.task.id,
    sent: answer.task,
    overtakeNext: () => {
      overtakes = true;
    },
  };
}

const texts = (task: Task | undefined): unknown[] =>
  (task?.history ?? []).map(({ parts }) => (parts[0] as { text: string }).text);

async function firstTaskOf(events: AsyncIterable<readonly { event: object }[]>): Promise<Task | undefined> {
  for await (const [first] of events) {
    return first && 'task' in first.event ? (first.event.task as Task) : undefined;
  }
  return undefined;
}

it('U10: the answer to a message shows one instant', async () => {
  const { sent } = await openOvertaken();
  expect(texts(sent)).toEqual(['go']);
});

it('U10: the answer to a message is the state that its run reached, whatever has followed', async () => {
  let followed = false;
  engine = openEngine(async (text) => (text === 'go' ? ASKS : COMPLETED), {
    faults: (store) => ({
      snapshot: async (ref) => {
        if (!followed) {
          followed = true;
          const message = {
            messageId: 'm',
            role: 'ROLE_USER' as const,
            parts: [{ text: 'more' }],
            taskId: ref.taskId,
          };
          await engine.operations.sendMessage(CALLER, { message });
        }
        return store.snapshot(ref);
      },
    }),
    fused: {},
  });
  const answer = await engine.say('go');
  expect(answer).toMatchObject({ task: { status: { state: 'TASK_STATE_INPUT_REQUIRED' } } });
  const { tasks } = await engine.operations.listTasks(CALLER, {});
  expect((await engine.operations.getTask(CALLER, { id: tasks[0]?.id ?? '' })).status.state).toBe(
    'TASK_STATE_COMPLETED',
  );
});

it.each<[string, (id: string) => Promise<Task | undefined>]>([
  ['GetTask', (id) => engine.operations.getTask(CALLER, { id })],
  ['GetTask of the task alone', (id) => engine.operations.getTask(CALLER, { id, historyScope: 'task' })],
  ['the last message of GetTask', (id) => engine.operations.getTask(CALLER, { id, historyLength: 2 })],
  ['ListTasks', async () => (await engine.operations.listTasks(CALLER, {})).tasks[0]],
  [
    'ListTasks of tasks alone',
    async () => (await engine.operations.listTasks(CALLER, { historyScope: 'task' })).tasks[0],
  ],
  ['SubscribeToTask', async (id) => firstTaskOf(await engine.operations.subscribeToTask(CALLER, { id }))],
])('U10: %s shows one instant', async (_, read) => {
  const { id, overtakeNext } = await openOvertaken();
  expect(texts(await engine.operations.getTask(CALLER, { id }))).toEqual(['go', 'answer 1']);
  overtakeNext();
  expect(texts(await read(id))).toEqual(['go', 'answer 1']);
  expect(texts(await engine.operations.getTask(CALLER, { id }))).toEqual(['go', 'answer 1', 'answer 2']);
});
