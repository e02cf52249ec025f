import { describe, expect, it } from 'vitest';
import type { A2AError } from '../../errors.ts';
import { codec } from './index.ts';

const wire = codec({ full: true });

function decode(method: string, params: unknown): unknown {
  return wire.methods.get(method)?.decode(params);
}

function refusal(method: string, params: unknown): string[] {
  try {
    decode(method, params);
  } catch (error) {
    return ((error as A2AError).fieldViolations ?? []).map(({ field }) => field);
  }
  throw new Error('accepted');
}

const message = { messageId: 'm', role: 'user', parts: [{ kind: 'text', text: 'hi' }] };
const model = { messageId: 'm', role: 'ROLE_USER', parts: [{ text: 'hi' }] };
const send = (fields: object, rest: object = {}) => ({ message: { ...message, ...fields }, ...rest });
const parts = (...list: unknown[]) => send({ parts: list });

describe('message/send', () => {
  it('reads a message with and without kind', () => {
    expect(decode('message/send', { message })).toEqual({ message: model });
    expect(decode('message/send', send({ kind: 'message', role: 'agent' }))).toEqual({
      message: { ...model, role: 'ROLE_AGENT' },
    });
  });

  it('reads every field', () => {
    const optional = {
      contextId: 'c',
      taskId: 't',
      metadata: { my_key: 1 },
      extensions: ['urn:x'],
      referenceTaskIds: ['t0'],
    };
    const request = send(
      { ...optional, command: { resume: 'yes' } },
      {
        configuration: {
          acceptedOutputModes: ['text/plain'],
          blocking: false,
          historyLength: 3,
          historyScope: 'task',
          pushNotificationConfig: {
            url: 'u',
            id: 'p',
            token: 'k',
            authentication: { schemes: ['Bearer', 'Basic'], credentials: 'z' },
          },
        },
        metadata: { a: 1 },
        context: { user_id: 'u' },
      },
    );
    expect(decode('message/send', request)).toEqual({
      message: { ...model, ...optional },
      configuration: {
        acceptedOutputModes: ['text/plain'],
        returnImmediately: true,
        historyLength: 3,
        historyScope: 'task',
        taskPushNotificationConfig: {
          url: 'u',
          id: 'p',
          token: 'k',
          authentication: { scheme: 'Bearer', credentials: 'z' },
        },
      },
      metadata: { a: 1 },
      command: { resume: 'yes' },
      context: { user_id: 'u' },
    });
  });

  it('blocks unless blocking is false', () => {
    expect(decode('message/send', send({}, { configuration: { blocking: true } }))).toEqual({
      message: model,
      configuration: {},
    });
    expect(decode('message/send', send({}, { configuration: {} }))).toEqual({
      message: model,
      configuration: {},
    });
  });

  it.each([
    [{ kind: 'text', text: '' }, { text: '' }],
    [{ text: 'x' }, { text: 'x' }],
    [
      { kind: 'text', text: 'x', metadata: { a: 1 } },
      { text: 'x', metadata: { a: 1 } },
    ],
    [
      { kind: 'file', file: { bytes: '-_8', mimeType: 'a/b', name: 'n' }, metadata: { a: 1 } },
      { raw: '+/8=', mediaType: 'a/b', filename: 'n', metadata: { a: 1 } },
    ],
    [{ file: { uri: 'https://h' } }, { url: 'https://h' }],
    [{ kind: 'file', file: { uri: 'https://h', bytes: null } }, { url: 'https://h' }],
    [{ kind: 'data', data: { tool_calls: [] } }, { data: { tool_calls: [] } }],
    [{ kind: 'data', data: [1] }, { data: [1] }],
    [
      { kind: 'data', data: {}, mimeType: 'application/a2ui+json' },
      { data: {}, mediaType: 'application/a2ui+json' },
    ],
    [{ kind: 'data', data: { value: [1] }, metadata: { data_part_compat: true } }, { data: [1] }],
    [
      { kind: 'data', data: { value: null }, metadata: { data_part_compat: true, x: 1 } },
      { data: null, metadata: { x: 1 } },
    ],
    [{ kind: 'data', data: { other: 1 }, metadata: { data_part_compat: true } }, { data: { other: 1 } }],
    [
      { kind: 'data', data: { value: 1 }, metadata: { data_part_compat: 'yes' } },
      { data: { value: 1 }, metadata: { data_part_compat: 'yes' } },
    ],
    [
      {
        kind: 'data',
        data: { value: [] },
        metadata: { data_part_compat: true, mimeType: 'application/a2ui+json' },
      },
      { data: { value: [] }, metadata: { data_part_compat: true, mimeType: 'application/a2ui+json' } },
    ],
  ])('reads part %j', (part, expected) => {
    expect(decode('message/send', parts(part))).toEqual({ message: { ...model, parts: [expected] } });
  });

  it.each([
    [{}, ['message']],
    [send({ kind: 'task' }), ['message.kind']],
    [send({ role: 'ROLE_USER' }), ['message.role']],
    [send({ messageId: undefined }), ['message.messageId']],
    [parts(), ['message.parts']],
    [parts({}), ['message.parts[0]']],
    [parts({ text: 'a', data: {} }), ['message.parts[0]']],
    [parts({ kind: 'image' }), ['message.parts[0].kind']],
    [parts({ kind: 'text' }), ['message.parts[0].text']],
    [parts({ kind: 'text', text: 5 }), ['message.parts[0].text']],
    [parts({ kind: 'file' }), ['message.parts[0].file']],
    [parts({ kind: 'file', file: 'x' }), ['message.parts[0].file']],
    [parts({ kind: 'file', file: {} }), ['message.parts[0].file']],
    [parts({ kind: 'file', file: { bytes: 'QQ==', uri: 'u' } }), ['message.parts[0].file']],
    [parts({ kind: 'file', file: { bytes: '!' } }), ['message.parts[0].file.bytes']],
    [parts({ kind: 'file', file: { uri: 5 } }), ['message.parts[0].file.uri']],
    [parts({ kind: 'data' }), ['message.parts[0].data']],
    [send({ command: 'resume' }), ['message.command']],
    [send({}, { context: [] }), ['context']],
    [send({}, { configuration: { blocking: 'no' } }), ['configuration.blocking']],
    [
      send({}, { configuration: { pushNotificationConfig: {} } }),
      ['configuration.pushNotificationConfig.url'],
    ],
    [send({}, { configuration: { historyScope: 'x' } }), ['configuration.historyScope']],
  ])('refuses %j', (request, fields) => {
    expect(refusal('message/send', request)).toEqual(fields);
  });

  it('reads no history option on a stream', () => {
    expect(
      decode('message/stream', send({}, { configuration: { historyLength: -1, historyScope: 'x' } })),
    ).toEqual({
      message: model,
      configuration: {},
    });
  });
});

describe('other methods', () => {
  it.each([
    ['tasks/get', { id: 't', historyLength: 2 }, { id: 't', historyLength: 2 }],
    ['tasks/cancel', { id: 't', metadata: { a: 1 } }, { id: 't', metadata: { a: 1 } }],
    ['tasks/resubscribe', { id: 't' }, { id: 't' }],
    ['tasks/pushNotificationConfig/get', { id: 't' }, { taskId: 't' }],
    [
      'tasks/pushNotificationConfig/get',
      { id: 't', pushNotificationConfigId: 'p' },
      { taskId: 't', id: 'p' },
    ],
    ['tasks/pushNotificationConfig/list', { id: 't' }, { taskId: 't' }],
    [
      'tasks/pushNotificationConfig/delete',
      { id: 't', pushNotificationConfigId: 'p' },
      { taskId: 't', id: 'p' },
    ],
    [
      'tasks/pushNotificationConfig/set',
      { taskId: 't', pushNotificationConfig: { url: 'u', authentication: { schemes: [] } } },
      { taskId: 't', url: 'u' },
    ],
    ['agent/getAuthenticatedExtendedCard', undefined, {}],
  ])('%s reads %j', (method, params, expected) => {
    expect(decode(method, params)).toEqual(expected);
  });

  it.each([
    ['tasks/get', {}, ['id']],
    ['tasks/get', { id: 't', historyLength: -1 }, ['historyLength']],
    ['tasks/pushNotificationConfig/set', {}, ['taskId', 'pushNotificationConfig']],
    [
      'tasks/pushNotificationConfig/set',
      { taskId: 't', pushNotificationConfig: {} },
      ['pushNotificationConfig.url'],
    ],
    ['tasks/pushNotificationConfig/delete', { id: 't' }, ['pushNotificationConfigId']],
  ])('%s refuses %j', (method, params, fields) => {
    expect(refusal(method, params)).toEqual(fields);
  });
});
