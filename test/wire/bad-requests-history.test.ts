import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Served, serve } from '../support/serve.ts';
import {
  call,
  collectFrames,
  expectRefusal,
  type Fields,
  rpc,
  sendText,
  userMessage,
  userMessageV0_3,
} from './rpc.ts';

let served: Served;
beforeAll(async () => {
  served = await serve();
});
afterAll(() => served.close());

describe('historyLength and historyScope', () => {
  const tooLong = 'historyLength cannot exceed 10';
  const unknownScope = "historyScope must be 'context' or 'task'";
  let taskId = '';
  let contextId = '';
  beforeAll(async () => {
    const first = await sendText(served, 'memory', 'a');
    const second = await sendText(served, 'memory', 'b', { contextId: first.contextId });
    taskId = second.id;
    contextId = second.contextId;
  });
  const texts = (task: Fields): string[] => (task.history ?? []).map(({ parts }: Fields) => parts[0].text);
  const get = async (params: Fields, headers?: { [name: string]: string }): Promise<string[]> =>
    texts((await rpc(served, 'memory', 'GetTask', { id: taskId, ...params }, headers)).result);

  it.each([11, 100, 2 ** 31, 2 ** 60, '11'])(
    'historyLength %s is refused with its own sentence',
    async (historyLength) => {
      const total = (await rpc(served, 'memory', 'ListTasks', {})).result.totalSize;
      const refused = { code: -32602, message: tooLong, field: 'historyLength' };
      expectRefusal(await served.post('memory', call('GetTask', { id: taskId, historyLength })), refused);
      expectRefusal(await served.post('memory', call('ListTasks', { historyLength })), refused);
      expectRefusal(
        await served.post(
          'memory',
          call('SendMessage', { message: userMessage('x'), configuration: { historyLength } }),
        ),
        {
          ...refused,
          field: 'configuration.historyLength',
        },
      );
      const { body } = await served.post(
        'memory',
        call('message/send', { message: userMessageV0_3('x'), configuration: { historyLength } }),
      );
      expect(body.error).toMatchObject({ code: -32602, message: tooLong });
      expect((await rpc(served, 'memory', 'tasks/get', { id: taskId, historyLength })).error).toMatchObject({
        message: tooLong,
      });
      expect((await rpc(served, 'memory', 'ListTasks', {})).result.totalSize).toBe(total);
    },
  );

  it.each([[-1], [1.5], [-(2 ** 31)], ['1.5'], ['x'], [true], [[]], [{}]])(
    'historyLength %j is refused',
    async (historyLength) => {
      const field = 'configuration.historyLength';
      expectRefusal(await served.post('memory', call('GetTask', { id: taskId, historyLength })), {
        code: -32602,
        field: 'historyLength',
      });
      expectRefusal(
        await served.post(
          'memory',
          call('SendMessage', { message: userMessage('x'), configuration: { historyLength } }),
        ),
        { code: -32602, field },
      );
    },
  );

  it('of a task takes its scope first, then its last messages', async () => {
    expect(await get({})).toEqual(['a', '1: a', 'b', '2: a | b']);
    expect(await get({ historyScope: 'context' })).toHaveLength(4);
    expect(await get({ historyScope: 'task' })).toEqual(['b', '2: a | b']);
    expect(await get({ historyScope: 'task', historyLength: 1 })).toEqual(['2: a | b']);
    expect(await get({ historyLength: 3 })).toEqual(['1: a', 'b', '2: a | b']);
    expect(await get({ historyLength: 10 })).toHaveLength(4);
    expect(
      (await rpc(served, 'memory', 'GetTask', { id: taskId, historyLength: 0 })).result,
    ).not.toHaveProperty('history');
  });

  it('of a list hold for each of its tasks', async () => {
    const list = async (params: Fields): Promise<string[][]> =>
      (await rpc(served, 'memory', 'ListTasks', { contextId, ...params })).result.tasks.map(texts);
    expect(await list({ historyScope: 'task' })).toEqual([
      ['b', '2: a | b'],
      ['a', '1: a'],
    ]);
    expect(await list({ historyScope: 'task', historyLength: 1 })).toEqual([['2: a | b'], ['1: a']]);
    expect(await list({ historyLength: 0 })).toEqual([[], []]);
  });

  it.each([['Task'], ['all'], ['CONTEXT'], [''], [5], [true], [[]], [{}]])(
    'scope %j is refused',
    async (historyScope) => {
      const refused = { code: -32602, message: unknownScope };
      for (const method of ['GetTask', 'tasks/get']) {
        expectRefusal(await served.post('memory', call(method, { id: taskId, historyScope })), {
          ...refused,
          field: 'historyScope',
        });
      }
      expectRefusal(await served.post('memory', call('ListTasks', { historyScope })), {
        ...refused,
        field: 'historyScope',
      });
      expectRefusal(
        await served.post(
          'memory',
          call('SendMessage', { message: userMessage('x'), configuration: { historyScope } }),
        ),
        {
          ...refused,
          field: 'configuration.historyScope',
        },
      );
    },
  );

  it.each(['historyscope', 'HistoryScope', 'history_scope', 'HISTORYSCOPE'])(
    'the key %s has no effect',
    async (key) => {
      expect(await get({ [key]: 'task' })).toHaveLength(4);
      expect(await get({ [key]: 'nonsense' })).toHaveLength(4);
    },
  );

  it('scope is read from the header too, and the body wins', async () => {
    const header = (value: string): { [name: string]: string } => ({ 'LangGraph-A2A-History-Scope': value });
    expect(await get({}, header('task'))).toHaveLength(2);
    expect(await get({}, { 'langgraph-a2a-history-scope': 'task' })).toHaveLength(2);
    expect(await get({ historyScope: 'context' }, header('task'))).toHaveLength(4);
    expect(await get({ historyScope: 'task' }, header('context'))).toHaveLength(2);
    expect(await get({}, header(''))).toHaveLength(4);
    const refused = { code: -32602, message: unknownScope, field: 'historyScope' };
    expectRefusal(await served.post('memory', call('GetTask', { id: taskId }), header('thread')), refused);
    expectRefusal(await served.post('memory', call('ListTasks', {}), header('thread')), refused);
    expectRefusal(
      await served.post('memory', call('SendMessage', { message: userMessage('x') }), header('thread')),
      refused,
    );
    const { body } = await served.post(
      'memory',
      call('SendMessage', { message: userMessage('c', { contextId }) }),
      header('task'),
    );
    expect(texts(body.result.task)).toEqual(['c', '3: a | b | c']);
  });

  it.each([{ historyLength: 99 }, { historyLength: -1 }, { historyScope: 'nonsense' }, { historyScope: 5 }])(
    'streams do not read %j',
    async (configuration) => {
      const headers = { 'LangGraph-A2A-History-Scope': 'nonsense' };
      const v1 = await collectFrames(
        served,
        'memory',
        call('SendStreamingMessage', { message: userMessage('x', { contextId }), configuration }),
        headers,
      );
      expect(v1.at(-1)?.data.result.statusUpdate.status.state).toBe('TASK_STATE_COMPLETED');
      expect(texts(v1[0]?.data.result.task)).toEqual(['x']);
      const v0 = await collectFrames(
        served,
        'memory',
        call('message/stream', { message: userMessageV0_3('x', { contextId }), configuration }),
        headers,
      );
      expect(v0.at(-1)?.data.result).toMatchObject({ final: true });
    },
  );

  it('the limit is a setting', async () => {
    const other = await serve({ a2a: { maxHistoryLength: 2 } });
    try {
      const task = await sendText(other, 'echo', 'x', {}, { historyLength: 2 });
      expect(task.history).toHaveLength(2);
      expectRefusal(await other.post('echo', call('GetTask', { id: task.id, historyLength: 3 })), {
        code: -32602,
        message: 'historyLength cannot exceed 2',
      });
    } finally {
      await other.close();
    }
  });
});
