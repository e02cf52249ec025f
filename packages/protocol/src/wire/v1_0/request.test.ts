import { describe, expect, it } from 'vitest';
import { userMessage } from '../../../test/fixtures.ts';
import type { A2AError } from '../../errors.ts';
import { codec, decodeMessage, decodePart } from './index.ts';

function decode(method: string, params: unknown, limits?: { maxParts: number }): unknown {
  return codec().methods.get(method)?.decode(params, limits);
}

/** Fields that a request is refused for. */
function refusal(method: string, params: unknown): string[] {
  try {
    decode(method, params);
  } catch (error) {
    return ((error as A2AError).fieldViolations ?? []).map(({ field }) => field);
  }
  throw new Error('accepted');
}

const message = { messageId: 'm', role: 'ROLE_USER', parts: [{ text: 'hi' }] };
const send = (fields: object, rest: object = {}) => ({ message: { ...message, ...fields }, ...rest });

describe('SendMessage', () => {
  it('reads every field', () => {
    const request = {
      tenant: 'as1',
      message: { ...userMessage, taskId: 't' },
      configuration: {
        acceptedOutputModes: ['text/plain'],
        historyLength: 5,
        historyScope: 'task',
        returnImmediately: true,
        taskPushNotificationConfig: {
          url: 'https://h',
          token: 'k',
          authentication: { scheme: 'Bearer', credentials: 'z' },
        },
      },
      metadata: { any_key: { deep: [1] } },
    };
    expect(decode('SendMessage', request)).toEqual(request);
  });

  it('reads snake_case names, and camelCase first', () => {
    const request = {
      message: {
        message_id: 'm',
        context_id: 'c',
        task_id: 't',
        role: 1,
        parts: [{ text: 'x', media_type: 'text/plain' }],
        reference_task_ids: ['r'],
        metadata: { context_id: 'kept' },
      },
      configuration: {
        history_length: '2',
        return_immediately: false,
        accepted_output_modes: ['a/b'],
        task_push_notification_config: { url: 'u', task_id: '' },
      },
    };
    expect(decode('SendMessage', request)).toEqual({
      message: {
        messageId: 'm',
        contextId: 'c',
        taskId: 't',
        role: 'ROLE_USER',
        parts: [{ text: 'x', mediaType: 'text/plain' }],
        referenceTaskIds: ['r'],
        metadata: { context_id: 'kept' },
      },
      configuration: {
        historyLength: 2,
        returnImmediately: false,
        acceptedOutputModes: ['a/b'],
        taskPushNotificationConfig: { url: 'u' },
      },
    });
    expect(decode('SendMessage', send({ contextId: 'camel', context_id: 'snake' }))).toMatchObject({
      message: { contextId: 'camel' },
    });
  });

  it('takes null and empty strings as absent and ignores unknown fields', () => {
    const request = send(
      { contextId: '', taskId: null, extensions: [], metadata: null, kind: 'message', x: 1 },
      { configuration: null, tenant: '', x: 1 },
    );
    expect(decode('SendMessage', request)).toEqual({ message });
  });

  it.each([
    [{}, ['message']],
    [{ message: 'x' }, ['message']],
    [{ message: {} }, ['message.messageId', 'message.role', 'message.parts']],
    [send({ messageId: '' }), ['message.messageId']],
    [send({ messageId: 5 }), ['message.messageId']],
    [send({ role: 'ROLE_UNSPECIFIED' }), ['message.role']],
    [send({ role: 'user' }), ['message.role']],
    [send({ role: 3 }), ['message.role']],
    [send({ role: '__proto__' }), ['message.role']],
    [send({ parts: [] }), ['message.parts']],
    [send({ parts: {} }), ['message.parts']],
    [send({ parts: [5] }), ['message.parts[0]']],
    [send({ parts: [{ text: 'a' }, {}] }), ['message.parts[1]']],
    [send({ parts: [{ text: 'a', data: 1 }] }), ['message.parts[0]']],
    [send({ parts: [{ text: 'a', raw: '' }] }), ['message.parts[0]']],
    [send({ parts: [{ text: 5 }] }), ['message.parts[0].text']],
    [send({ parts: [{ url: '' }] }), ['message.parts[0].url']],
    [send({ parts: [{ text: 'a' }, { raw: 'not base64!' }] }), ['message.parts[1].raw']],
    [send({ parts: [{ text: 'a', metadata: [] }] }), ['message.parts[0].metadata']],
    [send({ parts: [{ text: 'a', mediaType: 5 }] }), ['message.parts[0].mediaType']],
    [send({ contextId: 5 }), ['message.contextId']],
    [send({ contextId: 'a\nb' }), ['message.contextId']],
    [send({ contextId: '\ud800' }), ['message.contextId']],
    [send({ contextId: 'x'.repeat(257) }), ['message.contextId']],
    [send({ extensions: 'x' }), ['message.extensions']],
    [send({ extensions: ['x', 1] }), ['message.extensions[1]']],
    [send({}, { metadata: 'x' }), ['metadata']],
    [send({}, { configuration: [] }), ['configuration']],
    [send({}, { configuration: { historyLength: -1 } }), ['configuration.historyLength']],
    [send({}, { configuration: { historyLength: 1.5 } }), ['configuration.historyLength']],
    [send({}, { configuration: { historyLength: 'x' } }), ['configuration.historyLength']],
    [send({}, { configuration: { returnImmediately: 'yes' } }), ['configuration.returnImmediately']],
    [
      send({}, { configuration: { taskPushNotificationConfig: { authentication: {} } } }),
      [
        'configuration.taskPushNotificationConfig.url',
        'configuration.taskPushNotificationConfig.authentication.scheme',
      ],
    ],
  ])('refuses %j', (request, fields) => {
    expect(refusal('SendMessage', request)).toEqual(fields);
  });

  it.each([11, 2 ** 31, 2 ** 60, '9999999999'])(
    'leaves a historyLength of %s to the limit of the server',
    (historyLength) => {
      const request = decode('SendMessage', send({}, { configuration: { historyLength } }));
      expect(request).toMatchObject({ configuration: { historyLength: Number(historyLength) } });
    },
  );

  it('accepts any JSON as data, also null, and an empty text', () => {
    for (const data of [0, false, '', 'x', [], {}, [null]]) {
      expect(decode('SendMessage', send({ parts: [{ data }] }))).toMatchObject({
        message: { parts: [{ data }] },
      });
    }
    expect(decode('SendMessage', send({ parts: [{ data: null }, { text: '', data: null }] }))).toMatchObject({
      message: { parts: [{ data: null }, { text: '' }] },
    });
  });

  it('stores base64url without padding as standard base64', () => {
    expect(decode('SendMessage', send({ parts: [{ raw: '-_8' }] }))).toMatchObject({
      message: { parts: [{ raw: '+/8=' }] },
    });
  });

  it('accepts any conversation name up to 256 characters', () => {
    for (const contextId of ['wf-session-abc', '日本語 😀', '😀'.repeat(256), '__proto__']) {
      expect(decode('SendMessage', send({ contextId }))).toMatchObject({ message: { contextId } });
    }
  });

  it('says exactly what is wrong with historyScope, in that one spelling', () => {
    const scoped = (configuration: object) => () => decode('SendMessage', send({}, { configuration }));
    const sentence = "historyScope must be 'context' or 'task'";
    for (const historyScope of ['thread', 'Task', '', 5, {}]) {
      expect(scoped({ historyScope })).toThrow(
        expect.objectContaining({ kind: 'invalid-params', message: sentence }),
      );
    }
    expect(scoped({ historyscope: 'x', history_scope: 'y' })()).toEqual({ message, configuration: {} });
  });

  it('reads no history option on a stream and does not check it', () => {
    const configuration = { historyLength: -5, historyScope: 'nonsense', returnImmediately: true };
    expect(decode('SendStreamingMessage', send({}, { configuration }))).toEqual({
      message,
      configuration: { returnImmediately: true },
    });
  });

  it('counts parts before it looks at them', () => {
    const parts = Array.from({ length: 10_000 }, () => ({ raw: '!' }));
    expect(refusal('SendMessage', send({ parts }))).toEqual(['message.parts']);
    expect(() => decode('SendMessage', send({ parts: parts.slice(0, 3) }), { maxParts: 2 })).toThrow(
      expect.objectContaining({
        fieldViolations: [{ field: 'message.parts', description: 'At most 2 parts are allowed' }],
      }),
    );
    const allowed = Array.from({ length: 1000 }, () => ({ text: 'x' }));
    expect(decode('SendMessage', send({ parts: allowed }))).toMatchObject({ message: { parts: allowed } });
  });

  it('reports at most twenty violations', () => {
    expect(refusal('SendMessage', send({ parts: Array(500).fill({}) }))).toHaveLength(20);
  });
});

describe('other operations', () => {
  it.each([
    ['GetTask', { id: 't', historyLength: 0, historyScope: 'context' }],
    ['GetTask', { id: 't', tenant: 'as1' }],
    ['CancelTask', { id: 't', metadata: { why: 1 } }],
    ['SubscribeToTask', { id: 't' }],
    ['GetExtendedAgentCard', {}],
    [
      'ListTasks',
      { contextId: 'c', status: 'TASK_STATE_WORKING', pageSize: 100, pageToken: 'x', includeArtifacts: true },
    ],
    [
      'CreateTaskPushNotificationConfig',
      { taskId: 't', id: 'p', url: 'https://h', authentication: { scheme: 'Basic' } },
    ],
    ['GetTaskPushNotificationConfig', { taskId: 't', id: 'p' }],
    ['ListTaskPushNotificationConfigs', { taskId: 't', pageSize: 5, pageToken: 'x' }],
    ['DeleteTaskPushNotificationConfig', { taskId: 't', id: 'p', tenant: 'as1' }],
  ])('%s reads %j', (method, request) => {
    expect(decode(method, request)).toEqual(request);
  });

  it('reads absent params as empty', () => {
    expect(decode('ListTasks', undefined)).toEqual({});
    expect(decode('GetExtendedAgentCard', null)).toEqual({});
    expect(refusal('GetTask', undefined)).toEqual(['id']);
  });

  it('reads enum numbers, unset enums, snake_case and times of any offset', () => {
    expect(
      decode('ListTasks', {
        context_id: 'c',
        status: 6,
        page_size: '20',
        status_timestamp_after: '2024-01-01T01:00:00+01:00',
      }),
    ).toEqual({
      contextId: 'c',
      status: 'TASK_STATE_INPUT_REQUIRED',
      pageSize: 20,
      statusTimestampAfter: '2024-01-01T00:00:00.000Z',
    });
    expect(decode('ListTasks', { status: 'TASK_STATE_UNSPECIFIED', pageToken: '' })).toEqual({});
    expect(decode('ListTasks', { status: 0 })).toEqual({});
  });

  it.each([
    ['GetTask', {}, ['id']],
    ['GetTask', { id: '' }, ['id']],
    ['GetTask', { id: 5 }, ['id']],
    ['GetTask', { id: 't', historyLength: -1 }, ['historyLength']],
    ['GetTask', { id: 't', historyScope: 'x' }, ['historyScope']],
    ['ListTasks', { pageSize: 0 }, ['pageSize']],
    ['ListTasks', { pageSize: 101 }, ['pageSize']],
    ['ListTasks', { status: 'working' }, ['status']],
    ['ListTasks', { status: 9 }, ['status']],
    ['ListTasks', { statusTimestampAfter: 'yesterday' }, ['statusTimestampAfter']],
    ['ListTasks', { includeArtifacts: 'maybe' }, ['includeArtifacts']],
    ['CancelTask', { id: 't', metadata: 1 }, ['metadata']],
    ['CreateTaskPushNotificationConfig', {}, ['taskId', 'url']],
    ['GetTaskPushNotificationConfig', { taskId: 't' }, ['id']],
    ['DeleteTaskPushNotificationConfig', { id: 'p' }, ['taskId']],
    ['ListTaskPushNotificationConfigs', {}, ['taskId']],
  ])('%s refuses %j', (method, request, fields) => {
    expect(refusal(method, request)).toEqual(fields);
  });
});

describe('values that an agent made', () => {
  it('are checked alone', () => {
    expect(decodePart({ raw: 'QQ', mediaType: 'a/b', kind: 'x' })).toEqual({ raw: 'QQ==', mediaType: 'a/b' });
    expect(() => decodePart({ raw: '!' })).toThrow(
      expect.objectContaining({ fieldViolations: [{ field: 'raw', description: 'Must be base64' }] }),
    );
    expect(decodeMessage(userMessage)).toEqual(userMessage);
    expect(() => decodeMessage({ ...userMessage, parts: [] })).toThrow(
      expect.objectContaining({ fieldViolations: [expect.objectContaining({ field: 'parts' })] }),
    );
  });

  it('name an empty part by an empty path', () => {
    expect(() => decodePart({})).toThrow(
      expect.objectContaining({ fieldViolations: [expect.objectContaining({ field: '' })] }),
    );
  });
});
