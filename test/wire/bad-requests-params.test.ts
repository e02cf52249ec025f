import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Served, serve } from '../support/serve.ts';
import {
  call,
  expectRefusal,
  type Fields,
  rpc,
  sendParts,
  sendText,
  storesNothing,
  userMessage,
  userMessageV0_3,
} from './rpc.ts';

let served: Served;
beforeAll(async () => {
  served = await serve();
});
afterAll(() => served.close());

describe('U02, U26: a message that 1.0 refuses', () => {
  storesNothing(() => served);
  const withPart = (part: unknown): Fields => ({
    message: userMessage('', { parts: [{ text: 'first' }, part] }),
  });
  const withMessage = (change: Fields): Fields => ({ message: userMessage('x', change) });

  it.each<[string, unknown, string]>([
    ['no message', {}, 'message'],
    ['no params', undefined, 'message'],
    ['params null', null, 'message'],
    ['a null message', { message: null }, 'message'],
    ['a message that is text', { message: 'hi' }, 'message'],
    ['a message that is a list', { message: [] }, 'message'],
    ['an empty message', { message: {} }, 'message.messageId'],
    ['no messageId', withMessage({ messageId: undefined }), 'message.messageId'],
    ['an empty messageId', withMessage({ messageId: '' }), 'message.messageId'],
    ['a messageId that is a number', withMessage({ messageId: 5 }), 'message.messageId'],
    ['no role', withMessage({ role: undefined }), 'message.role'],
    ['an unknown role', withMessage({ role: 'ROLE_SYSTEM' }), 'message.role'],
    ['a role of 0.3', withMessage({ role: 'user' }), 'message.role'],
    ['the unspecified role', withMessage({ role: 'ROLE_UNSPECIFIED' }), 'message.role'],
    ['role 0', withMessage({ role: 0 }), 'message.role'],
    ['role 3', withMessage({ role: 3 }), 'message.role'],
    ['role 1.5', withMessage({ role: 1.5 }), 'message.role'],
    ['role -1', withMessage({ role: -1 }), 'message.role'],
    ['a role of the prototype', withMessage({ role: 'constructor' }), 'message.role'],
    ['a role that is true', withMessage({ role: true }), 'message.role'],
    ['no parts', withMessage({ parts: undefined }), 'message.parts'],
    ['empty parts', withMessage({ parts: [] }), 'message.parts'],
    ['parts that are an object', withMessage({ parts: { text: 'x' } }), 'message.parts'],
    ['parts that are text', withMessage({ parts: 'x' }), 'message.parts'],
    ['a part that is null', withPart(null), 'message.parts[1]'],
    ['a part that is text', withPart('x'), 'message.parts[1]'],
    ['a part that is a list', withPart([]), 'message.parts[1]'],
    ['a part without content', withPart({}), 'message.parts[1]'],
    ['a part with metadata alone', withPart({ metadata: {} }), 'message.parts[1]'],
    ['a part with two contents', withPart({ text: 'x', data: 1 }), 'message.parts[1]'],
    ['a part with three contents', withPart({ text: 'x', raw: '', url: 'https://h' }), 'message.parts[1]'],
    ['text that is a number', withPart({ text: 5 }), 'message.parts[1].text'],
    ['text that is an object', withPart({ text: {} }), 'message.parts[1].text'],
    ['an empty url', withPart({ url: '' }), 'message.parts[1].url'],
    ['a url that is a number', withPart({ url: 1 }), 'message.parts[1].url'],
    ['raw that is no base64', withPart({ raw: 'not base64!' }), 'message.parts[1].raw'],
    ['raw with a line break', withPart({ raw: 'QUJD\nREVG' }), 'message.parts[1].raw'],
    ['raw cut after one digit', withPart({ raw: 'QUJDR' }), 'message.parts[1].raw'],
    ['raw with too much padding', withPart({ raw: 'QQ===' }), 'message.parts[1].raw'],
    ['raw with padding inside', withPart({ raw: 'QQ==QQ==' }), 'message.parts[1].raw'],
    ['raw that is bytes', withPart({ raw: [1, 2] }), 'message.parts[1].raw'],
    ['part metadata that is a list', withPart({ text: 'x', metadata: [] }), 'message.parts[1].metadata'],
    ['a filename that is a number', withPart({ text: 'x', filename: 1 }), 'message.parts[1].filename'],
    ['a mediaType that is an object', withPart({ text: 'x', mediaType: {} }), 'message.parts[1].mediaType'],
    ['metadata that is text', withMessage({ metadata: 'x' }), 'message.metadata'],
    ['a contextId that is a number', withMessage({ contextId: 5 }), 'message.contextId'],
    ['a taskId that is an object', withMessage({ taskId: {} }), 'message.taskId'],
    ['extensions that are text', withMessage({ extensions: 'x' }), 'message.extensions'],
    ['an extension that is a number', withMessage({ extensions: ['a', 1] }), 'message.extensions[1]'],
    ['referenceTaskIds with null', withMessage({ referenceTaskIds: [null] }), 'message.referenceTaskIds[0]'],
    ['a configuration that is a list', { ...withMessage({}), configuration: [] }, 'configuration'],
    [
      'returnImmediately as text',
      { ...withMessage({}), configuration: { returnImmediately: 'yes' } },
      'configuration.returnImmediately',
    ],
    ['params.metadata as a list', { ...withMessage({}), metadata: [] }, 'metadata'],
    ['a tenant that is a number', { ...withMessage({}), tenant: 1 }, 'tenant'],
    [
      'a push configuration without url',
      { ...withMessage({}), configuration: { taskPushNotificationConfig: {} } },
      'configuration.taskPushNotificationConfig.url',
    ],
  ])('%s', async (_, params, field) => {
    for (const method of ['SendMessage', 'SendStreamingMessage']) {
      expectRefusal(await served.post('echo', call(method, params)), { code: -32602, field });
    }
  });

  it('is told everything that is wrong with it, up to twenty faults', async () => {
    const parts = [{}, { text: 1 }, { raw: '?' }, ...Array.from({ length: 40 }, () => ({}))];
    const answer = await served.post('echo', call('SendMessage', { message: { role: 9, parts } }));
    const violations = answer.body.error?.data?.[0]?.fieldViolations as Fields[];
    expect(violations).toHaveLength(20);
    expect(violations.map(({ field }) => field)).toEqual(
      expect.arrayContaining([
        'message.messageId',
        'message.role',
        'message.parts[0]',
        'message.parts[1].text',
        'message.parts[2].raw',
      ]),
    );
  });
});

describe('U02, U26: a message that 0.3 refuses', () => {
  storesNothing(() => served);
  const withPart = (part: unknown): Fields => ({ message: userMessageV0_3('', { parts: [part] }) });
  const withMessage = (change: Fields): Fields => ({ message: userMessageV0_3('x', change) });

  it.each<[string, unknown, string]>([
    ['no message', {}, 'message'],
    ['the kind of a task', withMessage({ kind: 'task' }), 'message.kind'],
    ['a role of 1.0', withMessage({ role: 'ROLE_USER' }), 'message.role'],
    ['a role as number', withMessage({ role: 1 }), 'message.role'],
    ['no messageId', withMessage({ messageId: undefined }), 'message.messageId'],
    ['empty parts', withMessage({ parts: [] }), 'message.parts'],
    ['a part of an unknown kind', withPart({ kind: 'video', text: 'x' }), 'message.parts[0].kind'],
    ['a kind of the prototype', withPart({ kind: 'constructor', text: 'x' }), 'message.parts[0].kind'],
    ['a part without kind and content', withPart({}), 'message.parts[0]'],
    ['a text part without text', withPart({ kind: 'text' }), 'message.parts[0].text'],
    ['a file part without file', withPart({ kind: 'file' }), 'message.parts[0].file'],
    ['a file without bytes and uri', withPart({ kind: 'file', file: {} }), 'message.parts[0].file'],
    [
      'a file with bytes and uri',
      withPart({ kind: 'file', file: { bytes: 'QQ==', uri: 'x' } }),
      'message.parts[0].file',
    ],
    [
      'bytes that are no base64',
      withPart({ kind: 'file', file: { bytes: '%%' } }),
      'message.parts[0].file.bytes',
    ],
    ['a data part without data', withPart({ kind: 'data' }), 'message.parts[0].data'],
    ['blocking as text', { ...withMessage({}), configuration: { blocking: 'no' } }, 'configuration.blocking'],
  ])('%s', async (_, params, field) => {
    for (const method of ['message/send', 'message/stream']) {
      const { status, body } = await served.post('echo', call(method, params, 'v'));
      expect({ status, body }).toMatchObject({ status: 200, body: { id: 'v', error: { code: -32602 } } });
      expect(body.error?.data).toMatchObject([
        { fieldViolations: expect.arrayContaining([expect.objectContaining({ field })]) },
      ]);
    }
  });
});

describe('params of the other methods', () => {
  storesNothing(() => served);

  it.each<[string, string, unknown, string]>([
    ['GetTask', 'without id', {}, 'id'],
    ['GetTask', 'with an empty id', { id: '' }, 'id'],
    ['GetTask', 'with an id that is a number', { id: 7 }, 'id'],
    ['GetTask', 'with an id that is a list', { id: ['x'] }, 'id'],
    ['GetTask', 'with a negative historyLength', { id: 'x', historyLength: -1 }, 'historyLength'],
    ['GetTask', 'with half a message of history', { id: 'x', historyLength: 1.5 }, 'historyLength'],
    ['GetTask', 'with historyLength as a word', { id: 'x', historyLength: 'all' }, 'historyLength'],
    ['GetTask', 'with historyLength true', { id: 'x', historyLength: true }, 'historyLength'],
    ['CancelTask', 'without id', {}, 'id'],
    ['CancelTask', 'with metadata that is a list', { id: 'x', metadata: [] }, 'metadata'],
    ['SubscribeToTask', 'without id', undefined, 'id'],
    ['SubscribeToTask', 'with an id that is an object', { id: {} }, 'id'],
    ['ListTasks', 'with pageSize 0', { pageSize: 0 }, 'pageSize'],
    ['ListTasks', 'with pageSize 101', { pageSize: 101 }, 'pageSize'],
    ['ListTasks', 'with pageSize -1', { pageSize: -1 }, 'pageSize'],
    ['ListTasks', 'with pageSize 1.5', { pageSize: 1.5 }, 'pageSize'],
    ['ListTasks', 'with pageSize as a word', { pageSize: 'ten' }, 'pageSize'],
    ['ListTasks', 'with an unknown status', { status: 'TASK_STATE_NOPE' }, 'status'],
    ['ListTasks', 'with a status of 0.3', { status: 'working' }, 'status'],
    ['ListTasks', 'with status 9', { status: 9 }, 'status'],
    ['ListTasks', 'with status -1', { status: -1 }, 'status'],
    ['ListTasks', 'with status 1.5', { status: 1.5 }, 'status'],
    ['ListTasks', 'with status {}', { status: {} }, 'status'],
    ['ListTasks', 'with a page token of nobody', { pageToken: 'abc' }, 'pageToken'],
    [
      'ListTasks',
      'with a page token that decodes to other JSON',
      { pageToken: Buffer.from('[1,2,3]').toString('base64url') },
      'pageToken',
    ],
    ['ListTasks', 'with a page token that is a number', { pageToken: 1 }, 'pageToken'],
    [
      'ListTasks',
      'with a date for a timestamp',
      { statusTimestampAfter: '2024-01-01' },
      'statusTimestampAfter',
    ],
    [
      'ListTasks',
      'with a thirteenth month',
      { statusTimestampAfter: '2024-13-01T00:00:00Z' },
      'statusTimestampAfter',
    ],
    [
      'ListTasks',
      'with a timestamp without zone',
      { statusTimestampAfter: '2024-01-01T00:00:00' },
      'statusTimestampAfter',
    ],
    [
      'ListTasks',
      'with a number for a timestamp',
      { statusTimestampAfter: 1700000000 },
      'statusTimestampAfter',
    ],
    ['ListTasks', 'with includeArtifacts maybe', { includeArtifacts: 'maybe' }, 'includeArtifacts'],
    ['ListTasks', 'with a contextId that is a list', { contextId: [] }, 'contextId'],
    ['ListTasks', 'with a negative historyLength', { historyLength: -1 }, 'historyLength'],
    ['tasks/get', 'without id', {}, 'id'],
    ['tasks/get', 'with a negative historyLength', { id: 'x', historyLength: -1 }, 'historyLength'],
    ['tasks/cancel', 'without id', {}, 'id'],
  ])('%s %s', async (method, _, params, field) => {
    const answer = await served.post('echo', call(method, params));
    if (method.includes('/'))
      expect(answer).toMatchObject({ status: 200, body: { error: { code: -32602 } } });
    expectRefusal(answer, { code: -32602, field });
  });

  it('a page token of one list is refused by another', async () => {
    const page = await rpc(served, 'echo', 'ListTasks', { pageSize: 1 });
    const { nextPageToken: pageToken } = page.result;
    expect(pageToken).not.toBe('');
    expect((await rpc(served, 'echo', 'ListTasks', { pageSize: 1, pageToken })).result.tasks).toHaveLength(1);
    for (const other of [
      { status: 'TASK_STATE_COMPLETED' },
      { contextId: 'c' },
      { statusTimestampAfter: '2020-01-01T00:00:00Z' },
    ]) {
      expectRefusal(await served.post('echo', call('ListTasks', { ...other, pageToken })), {
        code: -32602,
        field: 'pageToken',
      });
    }
    expectRefusal(await served.post('memory', call('ListTasks', { pageToken })), {
      code: -32602,
      field: 'pageToken',
    });
  });

  it('push notifications and the extended card are not supported, and say so', async () => {
    const push = { taskId: 'x', id: 'c', url: 'https://h' };
    for (const method of ['Create', 'Get', 'Delete'].map((verb) => `${verb}TaskPushNotificationConfig`)) {
      expectRefusal(await served.post('echo', call(method, push)), {
        code: -32003,
        reason: 'PUSH_NOTIFICATION_NOT_SUPPORTED',
      });
    }
    expectRefusal(await served.post('echo', call('ListTaskPushNotificationConfigs', push)), { code: -32003 });
    expectRefusal(await served.post('echo', call('GetExtendedAgentCard')), { code: -32004 });
  });
});

describe('what ProtoJSON allows', () => {
  it('names in snake_case, enums by number, integers as text, unknown fields', async () => {
    const message = {
      message_id: 'm',
      role: 1,
      parts: [{ text: 'x', media_type: 'text/plain', later: 1 }],
      context_id: 'snake',
      future: {},
    };
    const params = {
      message,
      configuration: { return_immediately: false, history_length: '1', more: [] },
      extra: 1,
    };
    const { result } = await rpc(served, 'echo', 'SendMessage', params);
    expect(result.task).toMatchObject({ contextId: 'snake', status: { state: 'TASK_STATE_COMPLETED' } });
    expect(result.task.history).toHaveLength(1);
    const listed = await rpc(served, 'echo', 'ListTasks', {
      context_id: 'snake',
      page_size: 2,
      status: 3,
      include_artifacts: true,
    });
    expect(listed.result).toMatchObject({ totalSize: 1, pageSize: 2 });
    expect(listed.result.tasks[0].artifacts).toHaveLength(1);
    expect((await rpc(served, 'echo', 'ListTasks', { contextId: 'snake', status: 4 })).result.totalSize).toBe(
      0,
    );
    const got = await rpc(served, 'echo', 'GetTask', { id: result.task.id, history_length: 0 });
    expect(got.result.history).toBeUndefined();
  });

  it('the camelCase name wins over the snake_case one, empty strings and nulls are absent', async () => {
    const task = await sendText(served, 'echo', 'x', {
      contextId: 'camel',
      context_id: 'snake',
      taskId: '',
      metadata: null,
    });
    expect(task.contextId).toBe('camel');
    const other = await sendText(served, 'echo', 'x', { contextId: '' });
    expect(other.contextId).toMatch(/^[0-9a-f-]{36}$/);
  });

  it.each([
    ['standard', '+/+/ff8='],
    ['url-safe', '-_-_ff8='],
    ['unpadded', '+/+/ff8'],
    ['url-safe and unpadded', '-_-_ff8'],
    ['with bits behind the last byte', '+/+/ff9'],
  ])('%s base64 is answered as standard base64', async (_, raw) => {
    const task = await sendParts(served, 'files', [
      { raw, filename: 'f.bin', mediaType: 'application/octet-stream' },
    ]);
    const seen = JSON.parse(task.artifacts[0].parts[0].text);
    expect(seen).toMatchObject({ type: 'file', data: '+/+/ff8=' });
    expect(task.history[0].parts).toEqual([
      { raw: '+/+/ff8=', filename: 'f.bin', mediaType: 'application/octet-stream' },
    ]);
  });

  it('an empty file is a file', async () => {
    const task = await sendParts(served, 'files', [{ raw: '', filename: 'empty' }]);
    expect(task.history[0].parts).toEqual([{ raw: '', filename: 'empty' }]);
    expect(JSON.parse(task.artifacts[0].parts[0].text)).toMatchObject({ type: 'file', data: '' });
  });
});
