import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type Served, serve } from '../support/serve.ts';
import {
  call,
  expectRefusal,
  type Fields,
  rpc,
  sendText,
  storesNothing,
  totalOf,
  userMessage,
  userMessageV0_3,
} from './rpc.ts';

let served: Served;
beforeAll(async () => {
  served = await serve({ a2a: { v03: 'full' } });
});
afterAll(() => served.close());
afterEach(() => served.fixture.gates.open('slow'));

const UNKNOWN_IDS = [
  'nope',
  '00000000-0000-7000-8000-000000000000',
  '../../etc/passwd',
  "' OR 1=1 --",
  '%00',
  'a\u0000b',
  '\ud800',
  'null',
  '__proto__',
  'x'.repeat(100_000),
];

describe('U17: an id that names no task of this assistant', () => {
  storesNothing(() => served);

  it.each(UNKNOWN_IDS.map((id) => ({ id, shown: JSON.stringify(id).slice(0, 40) })))(
    '$shown is unknown to every method',
    async ({ id }) => {
      const refused = { code: -32001, reason: 'TASK_NOT_FOUND' };
      for (const method of ['GetTask', 'CancelTask', 'SubscribeToTask']) {
        expectRefusal(await served.post('echo', call(method, { id })), refused);
      }
      for (const method of ['SendMessage', 'SendStreamingMessage']) {
        expectRefusal(
          await served.post('echo', call(method, { message: userMessage('x', { taskId: id }) })),
          refused,
        );
      }
      for (const method of ['tasks/get', 'tasks/cancel', 'tasks/resubscribe']) {
        expect((await served.post('echo', call(method, { id }))).body.error).toMatchObject({ code: -32001 });
      }
      const { body } = await served.post(
        'echo',
        call('message/send', { message: userMessageV0_3('x', { taskId: id }) }),
      );
      expect(body.error).toMatchObject({ code: -32001 });
    },
  );

  it('U01: gets the error of its own wire: with ErrorInfo in 1.0, code and message alone in 0.3', async () => {
    const { error } = (await served.post('echo', call('GetTask', { id: 'x' }))).body;
    expect(Object.keys(error ?? {})).toEqual(['code', 'message', 'data']);
    for (const method of ['tasks/get', 'tasks/cancel', 'tasks/resubscribe']) {
      const { body } = await served.post('echo', call(method, { id: 'x' }));
      expect(body.error).toEqual({ code: -32001, message: error?.message });
    }
  });

  it("U30: another assistant's task is told apart from an unknown one by nothing", async () => {
    const foreign = await sendText(served, 'memory', 'mine');
    const unknown = foreign.id.replace(/.$/, (last: string) => (last === '0' ? '1' : '0'));
    const answers = async (id: string): Promise<string> => {
      const message = userMessage('x', { taskId: id, messageId: 'same' });
      const requests = [
        call('GetTask', { id }),
        call('CancelTask', { id }),
        call('SubscribeToTask', { id }),
        call('SendMessage', { message }),
        call('SendMessage', { message: { ...message, contextId: foreign.contextId } }),
      ];
      const bodies = await Promise.all(requests.map((body) => served.post('echo', body)));
      return JSON.stringify(bodies.map(({ status, body }) => ({ status, body }))).replaceAll(id, 'ID');
    };
    expect(await answers(foreign.id)).toBe(await answers(unknown));
    expect((await rpc(served, 'memory', 'GetTask', { id: foreign.id })).result.history).toHaveLength(2);
  });
});

it("another assistant's context is a new conversation", async () => {
  const mine = await sendText(served, 'memory', 'secret', { contextId: 'shared' });
  const theirs = await sendText(served, 'echo', 'hello', { contextId: 'shared' });
  expect(theirs.contextId).toBe('shared');
  expect(theirs.history.map(({ parts }: Fields) => parts[0].text)).toEqual(['hello', 'you said: hello']);
  const listed = await rpc(served, 'echo', 'ListTasks', { contextId: 'shared' });
  expect(listed.result.tasks.map(({ id }: Fields) => id)).toEqual([theirs.id]);
  const again = await sendText(served, 'memory', 'more', { contextId: 'shared' });
  expect(again.artifacts[0].parts[0].text).toBe('2: secret | more');
  expect(again.id).not.toBe(mine.id);
});

describe('contextId', () => {
  it.each([
    ['a name', 'wf-session-abc'],
    ['a UUID', '6ba7b811-9dad-11d1-80b4-00c04fd430c8'],
    ['one character', '.'],
    ['a path', '../../a/b?c=d#e'],
    ['spaces', '  two words  '],
    ['SQL', "'); DROP TABLE tasks;--"],
    ['the longest', 'x'.repeat(256)],
    ['256 emoji', '👋'.repeat(256)],
    ['a name of the prototype', '__proto__'],
    ['the name of a node', 'say:__interrupt__|x'],
  ])('%s is taken and answered as it is', async (_, contextId) => {
    const first = await sendText(served, 'memory', 'a', { contextId });
    const second = await sendText(served, 'memory', 'b', { contextId });
    expect([first.contextId, second.contextId]).toEqual([contextId, contextId]);
    expect(second.artifacts[0].parts[0].text).toBe('2: a | b');
    expect((await rpc(served, 'memory', 'ListTasks', { contextId })).result.totalSize).toBe(2);
  });

  describe('is refused', () => {
    storesNothing(() => served);

    it.each([
      ['with NUL', 'a\u0000b'],
      ['with a line break', 'a\nb'],
      ['with a tab', '\t'],
      ['with DEL', 'a\u007f'],
      ['with a C1 control', 'a\u0085'],
      ['with a lone surrogate', 'a\ud83d'],
      ['of 257 characters', 'x'.repeat(257)],
      ['of a million characters', 'x'.repeat(1_000_000)],
      ['of 257 emoji', '👋'.repeat(257)],
    ])('%s', async (_, contextId) => {
      for (const method of ['SendMessage', 'SendStreamingMessage']) {
        expectRefusal(await served.post('echo', call(method, { message: userMessage('x', { contextId }) })), {
          code: -32602,
          field: 'message.contextId',
        });
      }
      const { body } = await served.post(
        'echo',
        call('message/send', { message: userMessageV0_3('x', { contextId }) }),
      );
      expect(body.error).toMatchObject({ code: -32602 });
    });
  });

  it('that no task has lists nothing, whatever it looks like', async () => {
    for (const contextId of ['tck-test-context-1', 'x'.repeat(5_000), 'a\u0000b', '\ud800']) {
      const { result } = await rpc(served, 'echo', 'ListTasks', { contextId });
      expect(result).toEqual({ tasks: [], nextPageToken: '', pageSize: 50, totalSize: 0 });
    }
  });
});

describe('a message to a task', () => {
  it('of another context is refused and nothing runs', async () => {
    const task = await sendText(served, 'approval', 'pay');
    const before = await rpc(served, 'approval', 'GetTask', { id: task.id });
    for (const contextId of ['other', task.contextId.toUpperCase(), `${task.contextId} `]) {
      for (const method of ['SendMessage', 'SendStreamingMessage']) {
        const message = userMessage('{"approved":true}', { taskId: task.id, contextId });
        expectRefusal(await served.post('approval', call(method, { message })), {
          code: -32602,
          field: 'message.contextId',
        });
      }
    }
    expect(await rpc(served, 'approval', 'GetTask', { id: task.id })).toEqual(before);
  });

  it.each([
    ['completed', 'echo', 'x', 'TASK_STATE_COMPLETED'],
    ['failed', 'broken', 'x', 'TASK_STATE_FAILED'],
    ['rejected', 'turn', 'reject', 'TASK_STATE_REJECTED'],
    ['canceled', 'approval', 'pay', 'TASK_STATE_CANCELED'],
  ])('that is %s is refused and changes nothing', async (_, graphId, text, state) => {
    const { id, contextId } = await sendText(served, graphId, text);
    if (state === 'TASK_STATE_CANCELED') await rpc(served, graphId, 'CancelTask', { id });
    const before = await rpc(served, graphId, 'GetTask', { id });
    expect(before.result.status.state).toBe(state);
    const total = await totalOf(served, graphId);
    for (const method of ['SendMessage', 'SendStreamingMessage']) {
      const message = userMessage('more', { taskId: id, contextId });
      expectRefusal(await served.post(graphId, call(method, { message })), {
        code: -32004,
        reason: 'UNSUPPORTED_OPERATION',
      });
    }
    for (const method of ['message/send', 'message/stream']) {
      const { body } = await served.post(
        graphId,
        call(method, { message: userMessageV0_3('more', { taskId: id }) }),
      );
      expect(body.error).toMatchObject({ code: -32004 });
    }
    // A wrong context is an error here too, whichever.
    const wrong = await served.post(
      graphId,
      call('SendMessage', { message: userMessage('x', { taskId: id, contextId: 'no' }) }),
    );
    expect([-32602, -32004]).toContain(wrong.body.error?.code);
    expect(await rpc(served, graphId, 'GetTask', { id })).toEqual(before);
    expect(await totalOf(served, graphId)).toBe(total);
  });
});

describe('a graph without messages', () => {
  it('is refused with the keys that it has', async () => {
    const refused = { code: -32602, field: 'message', message: /'no-messages'.*question, documents/ };
    for (const method of ['SendMessage', 'SendStreamingMessage']) {
      expectRefusal(await served.post('no-messages', call(method, { message: userMessage('x') })), refused);
    }
    const { body } = await served.post(
      'no-messages',
      call('message/send', { message: userMessageV0_3('x') }),
    );
    expect(body.error).toMatchObject({
      code: -32602,
      message: expect.stringContaining('question, documents'),
    });
    expect(await totalOf(served, 'no-messages')).toBe(0);
  });

  it('answers the other methods like any', async () => {
    expectRefusal(await served.post('no-messages', call('GetTask', { id: 'x' })), { code: -32001 });
  });
});

it('a factory that fails once is asked again', async () => {
  let calls = 0;
  const { graphs } = served.fixture;
  const other = await serve({
    graphs: {
      flaky: async () => {
        calls++;
        if (calls === 1) throw new Error('secret: the database is not up yet');
        return graphs.echo;
      },
    },
  });
  try {
    const first = await other.post('flaky', call('SendMessage', { message: userMessage('x') }));
    expectRefusal(first, {
      code: -32603,
      message: /^An internal error occurred \(correlation id [0-9a-f-]{36}\)$/,
    });
    expect(other.log.join('')).toContain('the database is not up yet');
    expect((await sendText(other, 'flaky', 'x')).status.state).toBe('TASK_STATE_COMPLETED');
  } finally {
    await other.close();
  }
});

describe('U27: strictInputModes', () => {
  it('refuses what the card does not declare, before any run; without it everything is taken', async () => {
    const assistants = {
      echo: { strictInputModes: true, input_modes: ['text/plain', 'image/png'] },
      memory: { input_modes: ['text/plain'] },
    };
    const strict = await serve({ a2a: { assistants } });
    try {
      const refused = {
        code: -32005,
        reason: 'CONTENT_TYPE_NOT_SUPPORTED',
        message: /text\/plain, image\/png/,
      };
      const parts = [
        { data: {} },
        { raw: 'QQ==', mediaType: 'application/x-unsupported' },
        { url: 'https://h', mediaType: 'image/gif' },
      ];
      for (const part of parts) {
        for (const method of ['SendMessage', 'SendStreamingMessage']) {
          expectRefusal(
            await strict.post(
              'echo',
              call(method, { message: userMessage('', { parts: [{ text: 'x' }, part] }) }),
            ),
            refused,
          );
        }
        const lax = await strict.post(
          'memory',
          call('SendMessage', { message: userMessage('', { parts: [part] }) }),
        );
        expect(lax.body.result.task.status.state).toBe('TASK_STATE_COMPLETED');
      }
      expect(await totalOf(strict, 'echo')).toBe(0);
      const png = { raw: 'QQ==', mediaType: 'image/png' };
      const taken = await strict.post(
        'echo',
        call('SendMessage', { message: userMessage('', { parts: [{ text: 'x' }, png] }) }),
      );
      expect(taken.body.result).toBeDefined();
    } finally {
      await strict.close();
    }
  });
});
