import { StreamResponse } from '@a2a-js/sdk';
import { legacyPushNotificationToV1StreamResponse } from '@a2a-js/sdk/compat/v0_3';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { message as anyMessage, deepFreeze, streamResponse } from '../../../test/arbitraries.ts';
import { agentMessage, completedTask, pushConfig, streamEvents } from '../../../test/fixtures.ts';
import { A2AError, invalidParams } from '../../errors.ts';
import type { DataPart, StreamResponse as Event, JsonValue, Message } from '../../model.ts';
import type { Method, OperationTypes } from '../codec.ts';
import { codec } from './index.ts';

const wire = codec({ full: true });

function encode<O extends keyof OperationTypes>(
  method: string,
  response: OperationTypes[O]['response'],
): unknown {
  return (wire.methods.get(method) as { encode(response: unknown): unknown }).encode(response);
}

const encodePart = (part: DataPart) =>
  (
    encode<'SendMessage'>('message/send', { message: { ...agentMessage, parts: [part] } }) as {
      parts: unknown[];
    }
  ).parts[0];

describe('encodeEvent', () => {
  it('means the same to the compatibility layer of the official SDK', () => {
    fc.assert(
      fc.property(streamResponse, (event) => {
        deepFreeze(event);
        const out = JSON.parse(JSON.stringify(wire.encodeEvent(event, { final: false })));
        const back = StreamResponse.toJSON(legacyPushNotificationToV1StreamResponse(out));
        const expected: unknown = StreamResponse.toJSON(StreamResponse.fromJSON(event as never));
        expect(back).toEqual(expected);
      }),
      { numRuns: 300 },
    );
  });

  it('has kind, states and final as 0.3 wants them', () => {
    const out = streamEvents.map((event, index) =>
      wire.encodeEvent(event, { final: index === streamEvents.length - 1 }),
    );
    const ids = { taskId: 't', contextId: 'c' };
    expect(out).toEqual([
      {
        kind: 'task',
        id: 't',
        contextId: 'c',
        status: { state: 'submitted', timestamp: '2024-01-01T00:00:00.000Z' },
      },
      { kind: 'status-update', ...ids, status: { state: 'working' }, final: false, metadata: { step: 1 } },
      {
        kind: 'artifact-update',
        ...ids,
        artifact: { artifactId: 'a', parts: [{ kind: 'text', text: 'Hel' }] },
        append: false,
        lastChunk: false,
      },
      {
        kind: 'artifact-update',
        ...ids,
        artifact: { artifactId: 'a', parts: [{ kind: 'text', text: 'lo' }] },
        append: true,
        lastChunk: true,
      },
      {
        kind: 'status-update',
        ...ids,
        status: {
          state: 'completed',
          message: {
            kind: 'message',
            messageId: 'm2',
            role: 'agent',
            ...ids,
            parts: [{ kind: 'text', text: 'Hello' }],
          },
        },
        final: true,
      },
    ]);
  });

  it('a method derives final from the state: input-required ends a stream, auth-required does not', () => {
    const final = (state: string) =>
      (
        encode<'SubscribeToTask'>('tasks/resubscribe', {
          statusUpdate: { taskId: 't', contextId: 'c', status: { state: state as 'TASK_STATE_WORKING' } },
        }) as { final: boolean }
      ).final;
    expect(final('TASK_STATE_INPUT_REQUIRED')).toBe(true);
    expect(final('TASK_STATE_CANCELED')).toBe(true);
    expect(final('TASK_STATE_AUTH_REQUIRED')).toBe(false);
    expect(final('TASK_STATE_WORKING')).toBe(false);
  });

  it('is read back by our own decoder', () => {
    const method = wire.methods.get('message/send') as Method & { operation: 'SendMessage' };
    fc.assert(
      fc.property(anyMessage, (message) => {
        // A context id may hold anything on the way out, but not on the way in.
        const { contextId: _, ...plain } = message;
        const out = wire.encodeEvent({ message: plain as Message }, { final: true });
        expect(method.decode({ message: out }).message).toEqual(plain);
      }),
    );
  });
});

describe('data parts', () => {
  it.each<[JsonValue]>([[null], [5], ['x'], [[1, 2]], [false]])('wraps %j, which is no object', (data) => {
    expect(encodePart({ data })).toEqual({
      kind: 'data',
      data: { value: data },
      metadata: { data_part_compat: true },
    });
    expect(encodePart({ data, metadata: { a: 1 } })).toMatchObject({
      metadata: { a: 1, data_part_compat: true },
    });
  });

  it('keeps the list of an A2UI part', () => {
    const part = { data: [{ version: 'v0.9' }], metadata: { mimeType: 'application/a2ui+json' } };
    expect(encodePart(part)).toEqual({ kind: 'data', ...part });
    expect(encodePart({ data: [], mediaType: 'application/a2ui+json' })).toEqual({ kind: 'data', data: [] });
  });

  const tools = {
    toolCalls: [{ id: '1', name: 'f', args: { toolCalls: 1, toolCallId: 2 } }],
    toolResults: [{ toolCallId: '1', name: 'f', status: 'success', content: { toolCallId: 'x' } }],
    text: 'x',
  };

  it('renames the keys of tool parts, and nothing inside arguments and content', () => {
    expect(encodePart(deepFreeze({ data: tools, metadata: { langgraph: 'tools' } }))).toEqual({
      kind: 'data',
      data: {
        tool_calls: [{ id: '1', name: 'f', args: { toolCalls: 1, toolCallId: 2 } }],
        tool_results: [{ tool_call_id: '1', name: 'f', status: 'success', content: { toolCallId: 'x' } }],
        text: 'x',
      },
      metadata: { langgraph: 'tools' },
    });
    expect(encodePart({ data: { toolCalls: [] }, metadata: { langgraph: 'tools' } })).toMatchObject({
      data: { tool_calls: [] },
    });
  });

  it('renames the schema of an interrupt part', () => {
    const data = {
      id: 'i',
      value: { responseSchema: 1 },
      responseSchema: { properties: { responseSchema: {} } },
    };
    expect(encodePart({ data, metadata: { langgraph: 'interrupt' } })).toMatchObject({
      data: {
        id: 'i',
        value: { responseSchema: 1 },
        response_schema: { properties: { responseSchema: {} } },
      },
    });
  });

  it("never renames a user's data", () => {
    const data = { ...tools, responseSchema: {} };
    for (const metadata of [undefined, { langgraph: 'other' }, { langgraph: true }]) {
      expect(encodePart(metadata === undefined ? { data } : { data, metadata })).toMatchObject({ data });
    }
  });

  it('survives odd tool parts', () => {
    for (const data of [
      { toolResults: 'x' },
      { toolResults: [null, 5, 'x'] },
      JSON.parse('{"__proto__":{"toolCalls":1}}'),
    ]) {
      const out = encodePart({ data, metadata: { langgraph: 'tools' } }) as { data: object };
      expect(Object.values(out.data)).toEqual(Object.values(data));
    }
  });
});

describe('results', () => {
  it('are bare objects with kind', () => {
    expect(encode<'SendMessage'>('message/send', { task: completedTask })).toMatchObject({
      kind: 'task',
      id: 't',
    });
    expect(encode<'SendMessage'>('message/send', { message: agentMessage })).toMatchObject({
      kind: 'message',
    });
    expect(encode<'GetTask'>('tasks/get', completedTask)).toMatchObject({
      kind: 'task',
      status: { state: 'completed' },
      history: [
        { kind: 'message', role: 'user' },
        { kind: 'message', role: 'agent' },
      ],
      artifacts: [
        {
          artifactId: 'a',
          parts: [
            { kind: 'text', text: 'Hello' },
            { kind: 'data', data: { n: 1 } },
          ],
        },
        { parts: [{ kind: 'file', file: { bytes: 'AA==', mimeType: 'image/png', name: 'x.png' } }] },
      ],
    });
    expect(
      encode<'CancelTask'>('tasks/cancel', { ...completedTask, history: [], artifacts: [] }),
    ).not.toHaveProperty('history');
  });

  it('push configurations are nested, their list is an array', () => {
    const nested = {
      taskId: 't',
      pushNotificationConfig: {
        id: 'p1',
        url: 'https://h/hook',
        token: 'k',
        authentication: { schemes: ['Bearer'], credentials: 'z' },
      },
    };
    expect(
      encode<'CreateTaskPushNotificationConfig'>('tasks/pushNotificationConfig/set', pushConfig),
    ).toEqual(nested);
    expect(
      encode<'ListTaskPushNotificationConfigs'>('tasks/pushNotificationConfig/list', {
        configs: [pushConfig],
      }),
    ).toEqual([nested]);
    expect(
      encode<'DeleteTaskPushNotificationConfig'>('tasks/pushNotificationConfig/delete', null),
    ).toBeNull();
  });

  it('errors have code and message, and data only for violations', () => {
    expect(wire.encodeError(new A2AError('task-not-found', 'Task not found: t'))).toEqual({
      code: -32001,
      message: 'Task not found: t',
    });
    expect(wire.encodeError(invalidParams('message', 'required'))).toMatchObject({
      code: -32602,
      data: [{ fieldViolations: [{ field: 'message', description: 'required' }] }],
    });
  });
});

it('every event kind is covered by the fixtures', () => {
  const kinds = new Set(streamEvents.map((event: Event) => Object.keys(event)[0]));
  expect([...kinds].sort()).toEqual(['artifactUpdate', 'statusUpdate', 'task']);
});
