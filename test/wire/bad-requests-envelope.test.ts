import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Served, serve } from '../support/serve.ts';
import {
  call,
  collectFrames,
  exchange,
  expectRefusal,
  parseAnswer,
  postBytes,
  rpc,
  storesNothing,
  userMessage,
  userMessageV0_3,
} from './rpc.ts';

let served: Served;
beforeAll(async () => {
  served = await serve({
    a2a: {
      assistants: { memory: { extensions: [{ uri: 'urn:needed', required: true }, { uri: 'urn:nice' }] } },
    },
  });
});
afterAll(() => served.close());
storesNothing(() => served);

const valid = (): string => JSON.stringify(call('SendMessage', { message: userMessage('x') }));

describe('U02: a body that is no JSON-RPC request', () => {
  it.each([
    ['cut JSON', '{"jsonrpc":', -32700, null],
    ['an empty body', '', -32700, null],
    ['white space', ' \n', -32700, null],
    ['text', 'hello', -32700, null],
    ['two documents', '{"jsonrpc":"2.0","id":1,"method":"GetTask"}{}', -32700, null],
    ['JSON with a comment', '{"jsonrpc":"2.0",/**/"id":1,"method":"GetTask"}', -32700, null],
    ['a trailing comma', '{"jsonrpc":"2.0","id":1,"method":"GetTask",}', -32700, null],
    ['NaN', '{"jsonrpc":"2.0","id":NaN,"method":"GetTask"}', -32700, null],
    ['null', 'null', -32600, null],
    ['a number', '1', -32600, null],
    ['a string', '"SendMessage"', -32600, null],
    ['an empty batch', '[]', -32600, null],
    ['a batch', '[{"jsonrpc":"2.0","id":1,"method":"GetTask","params":{"id":"x"}}]', -32600, null],
    ['no jsonrpc', '{"id":7,"method":"GetTask","params":{"id":"x"}}', -32600, 7],
    ['jsonrpc 1.0', '{"jsonrpc":"1.0","id":7,"method":"GetTask"}', -32600, 7],
    ['jsonrpc as a number', '{"jsonrpc":2.0,"id":7,"method":"GetTask"}', -32600, 7],
    ['no method', '{"jsonrpc":"2.0","id":7}', -32600, 7],
    ['an empty method', '{"jsonrpc":"2.0","id":7,"method":""}', -32600, 7],
    ['a method that is a number', '{"jsonrpc":"2.0","id":7,"method":1}', -32600, 7],
    ['a method that is a list', '{"jsonrpc":"2.0","id":7,"method":["GetTask"]}', -32600, 7],
    ['a method that is null', '{"jsonrpc":"2.0","id":"a","method":null}', -32600, 'a'],
    ['no id', '{"jsonrpc":"2.0","method":"GetTask","params":{"id":"x"}}', -32600, null],
    ['id {}', '{"jsonrpc":"2.0","id":{},"method":"GetTask"}', -32600, null],
    ['id []', '{"jsonrpc":"2.0","id":[],"method":"GetTask"}', -32600, null],
    ['id true', '{"jsonrpc":"2.0","id":true,"method":"GetTask"}', -32600, null],
    ['a fractional id', '{"jsonrpc":"2.0","id":1.5,"method":"GetTask"}', -32600, null],
    [
      'an id that no double holds',
      '{"jsonrpc":"2.0","id":9007199254740993,"method":"GetTask"}',
      -32600,
      null,
    ],
    ['an infinite id', '{"jsonrpc":"2.0","id":1e999,"method":"GetTask"}', -32600, null],
    ['an unknown method', '{"jsonrpc":"2.0","id":7,"method":"Nope"}', -32601, 7],
    ['a method in the wrong case', '{"jsonrpc":"2.0","id":7,"method":"sendMessage"}', -32601, 7],
    ['a method of the prototype', '{"jsonrpc":"2.0","id":7,"method":"constructor"}', -32601, 7],
    ['a method named __proto__', '{"jsonrpc":"2.0","id":7,"method":"__proto__"}', -32601, 7],
    ['a list of params', '{"jsonrpc":"2.0","id":7,"method":"GetTask","params":["x"]}', -32602, 7],
    ['params that are a string', '{"jsonrpc":"2.0","id":7,"method":"GetTask","params":"x"}', -32602, 7],
  ])('%s', async (_, body, code, id) => {
    expectRefusal(await served.post('echo', body), { code, id });
  });

  it('cut in every place is a parse error, and answered at once', async () => {
    const text = valid();
    for (let length = 0; length < text.length; length += 7) {
      expectRefusal(await served.post('echo', text.slice(0, length)), { code: -32700, id: null });
    }
  });

  it('with bytes that are no UTF-8 is answered', async () => {
    const bytes = Buffer.from('{"jsonrpc":"2.0","id":"\xff\xfe', 'latin1');
    const answer = parseAnswer(await exchange(served.url, postBytes('/a2a/echo', bytes)));
    expect(answer.status).toBe(200);
    expect(JSON.parse(answer.body)).toMatchObject({ id: null, error: { code: -32700 } });
  });

  it.each([
    'tasks/resubscribe',
    'agent/getAuthenticatedExtendedCard',
    'tasks/pushNotificationConfig/set',
    'tasks/list',
  ])('names %s, which v0.3 clients get with the setting v03 alone', async (method) => {
    const { status, body } = await served.post('echo', call(method, { id: 'x' }));
    expect({ status, body }).toMatchObject({ status: 200, body: { id: 1, error: { code: -32601 } } });
  });
});

describe('U02: the id', () => {
  const ids = [
    0,
    1,
    -1,
    2 ** 53 - 1,
    -(2 ** 53) + 1,
    '',
    '0',
    'ä\u2028"\\\n\u0000',
    '\ud800',
    'x'.repeat(5_000),
    null,
  ];

  it.each(ids.map((id) => ({ id, shown: JSON.stringify(id)?.slice(0, 40) })))(
    '$shown is echoed as it is',
    async ({ id }) => {
      const known = await served.post('echo', call('ListTasks', {}, id));
      expect(known.body).toMatchObject({ jsonrpc: '2.0', result: { pageSize: 50 } });
      expect(known.body.id).toStrictEqual(id);
      expectRefusal(await served.post('echo', call('GetTask', {}, id)), { code: -32602, id });
      expectRefusal(await served.post('echo', call('Nope', {}, id)), { code: -32601, id });
      expectRefusal(await served.post('none', call('ListTasks', {}, id)), { code: -32000, status: 404, id });
    },
  );

  it.each(ids.map((id) => ({ id, shown: JSON.stringify(id)?.slice(0, 40) })))(
    '$shown stands in every frame',
    async ({ id }) => {
      const v1 = await collectFrames(
        served,
        'words',
        call('SendStreamingMessage', { message: userMessage('x') }, id),
      );
      const v0 = await collectFrames(
        served,
        'words',
        call('message/stream', { message: userMessageV0_3('x') }, id),
      );
      expect(v1.length).toBeGreaterThan(3);
      expect(v0.length).toBeGreaterThan(3);
      for (const { data } of [...v1, ...v0]) expect(data.id).toStrictEqual(id);
    },
  );
});

describe('the content type', () => {
  it.each([
    'text/plain',
    'application/x-www-form-urlencoded',
    'application/json-patch+json',
    'application/jsonx',
    'json',
  ])('%s is refused', async (type) => {
    const answer = await served.post('echo', valid(), { 'content-type': type });
    expectRefusal(answer, { code: -32005, id: null, reason: 'CONTENT_TYPE_NOT_SUPPORTED' });
  });

  it.each([
    'application/json',
    'Application/JSON; charset=utf-8',
    'application/json;charset=UTF-8',
    'application/a2a+json',
  ])('%s is taken', async (type) => {
    expect(
      (await served.post('echo', call('ListTasks', {}), { 'content-type': type })).body.result,
    ).toBeDefined();
  });
});

describe('U01: A2A-Version', () => {
  const list = call('ListTasks', {});
  const sendV0_3 = (): object => call('message/send', { message: { ...userMessageV0_3('x'), parts: [] } });

  it.each(['99.0', '2.0', '0.2', '1', 'x', '1.0.0.0', '1.0 or so'])(
    '%s is refused before any look-up',
    async (version) => {
      for (const body of [list, sendV0_3(), call('Nope'), call('GetTask', {})]) {
        const answer = await served.post('none', body, { 'A2A-Version': version });
        expect(answer).toMatchObject({ status: 200, body: { error: { code: -32009 } } });
      }
      expectRefusal(await served.post('echo', list, { 'A2A-Version': version }), {
        code: -32009,
        reason: 'VERSION_NOT_SUPPORTED',
      });
    },
  );

  it('is answered as JSON where a stream was asked for', async () => {
    const body = call('SendStreamingMessage', { message: userMessage('x') });
    expectRefusal(await served.post('echo', body, { 'A2A-Version': '9.9' }), { code: -32009 });
  });

  it.each(['1.0', '1.0.7', '', ' 1.0 '])('"%s" goes with a method of 1.0', async (version) => {
    expect((await served.post('echo', list, { 'A2A-Version': version })).body.result).toBeDefined();
  });

  it.each(['0.3', '0.3.5', ''])('"%s" goes with a method of 0.3', async (version) => {
    expect((await served.post('echo', sendV0_3(), { 'A2A-Version': version })).body.error?.code).toBe(-32602);
  });

  it('that contradicts the method is refused', async () => {
    expectRefusal(await served.post('echo', list, { 'A2A-Version': '0.3' }), { code: -32009 });
    expect((await served.post('echo', sendV0_3(), { 'A2A-Version': '1.0' })).body.error?.code).toBe(-32009);
  });

  it('is read from the query too; the header wins', async () => {
    const at = async (query: string, headers: object = {}): Promise<unknown> => {
      const response = await fetch(`${served.endpoint('echo')}?A2A-Version=${query}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        body: JSON.stringify(list),
      });
      return ((await response.json()) as { error?: { code: number } }).error?.code;
    };
    expect(await at('99.0')).toBe(-32009);
    expect(await at('0.3')).toBe(-32009);
    expect(await at('1.0.3')).toBeUndefined();
    expect(await at('99.0', { 'A2A-Version': '1.0' })).toBeUndefined();
  });

  it('is required of 1.0 methods with strictVersion', async () => {
    const strict = await serve({ a2a: { strictVersion: true } });
    try {
      expectRefusal(await strict.post('echo', list), { code: -32009 });
      expectRefusal(await strict.post('echo', list, { 'A2A-Version': '' }), { code: -32009 });
      expect((await strict.post('echo', list, { 'A2A-Version': '1.0' })).body.result).toBeDefined();
      expect((await strict.post('echo', sendV0_3())).body.error?.code).toBe(-32602);
    } finally {
      await strict.close();
    }
  });
});

describe('extensions', () => {
  const send = call('SendMessage', { message: userMessage('x') });

  it.each(['A2A-Extensions', 'X-A2A-Extensions'])(
    'that both sides know are echoed under %s',
    async (name) => {
      const asked = { [name]: 'urn:unknown, urn:nice,urn:needed' };
      const other = name === 'A2A-Extensions' ? 'X-A2A-Extensions' : 'A2A-Extensions';
      const answer = await served.post('memory', send, asked);
      expect(answer.body.result.task).toBeDefined();
      expect(answer.headers.get(name)?.split(', ').sort()).toEqual(['urn:needed', 'urn:nice']);
      expect(answer.headers.get(other)).toBeNull();
      const body = JSON.stringify(call('message/stream', { message: userMessageV0_3('x') }));
      const stream = await fetch(served.endpoint('memory'), {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...asked },
        body,
      });
      expect(stream.headers.get(name)).toContain('urn:nice');
      expect(stream.headers.get(other)).toBeNull();
      await stream.text();
    },
  );

  it('that nobody knows are ignored', async () => {
    const answer = await served.post('echo', call('ListTasks', {}), { 'A2A-Extensions': 'urn:unknown' });
    expect(answer.body.result).toBeDefined();
    expect(answer.headers.get('A2A-Extensions')).toBeNull();
  });

  it('that are required must be sent, with every method', async () => {
    const methods = {
      SendMessage: { message: userMessage('x') },
      GetTask: { id: 'x' },
      ListTasks: {},
      CancelTask: { id: 'x' },
    };
    const more = { SubscribeToTask: { id: 'x' }, SendStreamingMessage: { message: userMessage('x') } };
    for (const [method, params] of Object.entries({ ...methods, ...more })) {
      expectRefusal(await served.post('memory', call(method, params)), {
        code: -32008,
        reason: 'EXTENSION_SUPPORT_REQUIRED',
        message: /urn:needed/,
      });
    }
    expect((await rpc(served, 'memory', 'tasks/get', { id: 'x' })).error?.code).toBe(-32008);
  });
});
