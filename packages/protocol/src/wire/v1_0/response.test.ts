import { ListTasksResponse, StreamResponse, Task } from '@a2a-js/sdk';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { deepFreeze, streamResponse, task } from '../../../test/arbitraries.ts';
import { agentMessage, completedTask, pushConfig, streamEvents } from '../../../test/fixtures.ts';
import { A2AError, invalidParams } from '../../errors.ts';
import type { StreamResponse as Event, Task as ModelTask } from '../../model.ts';
import { errorEnvelopeSchema } from '../../schema/json-rpc.ts';
import {
  listTasksResponseSchema,
  pushConfigSchema,
  sendMessageResponseSchema,
  streamResponseSchema,
  taskSchema,
} from '../../schema/task.ts';
import type { OperationTypes } from '../codec.ts';
import { codec } from './index.ts';

const wire = codec();

function encode<O extends keyof OperationTypes>(
  operation: O,
  response: OperationTypes[O]['response'],
): unknown {
  const method = wire.methods.get(operation) as { encode(response: unknown): unknown };
  return method.encode(response);
}

/** What the official reader keeps of it; it drops `false`, which it takes as unset. */
function throughSdk(event: unknown): unknown {
  return StreamResponse.toJSON(StreamResponse.fromJSON(event as never));
}

function withoutFalse(event: Event): unknown {
  if (!('artifactUpdate' in event)) return event;
  const { append, lastChunk, ...rest } = event.artifactUpdate;
  return { artifactUpdate: { ...rest, ...(append ? { append } : {}), ...(lastChunk ? { lastChunk } : {}) } };
}

describe('encodeEvent', () => {
  it('passes the strict schema and the official reader, and loses nothing', () => {
    fc.assert(
      fc.property(streamResponse, (event) => {
        deepFreeze(event);
        const out = JSON.parse(JSON.stringify(wire.encodeEvent(event, { final: false })));
        expect(streamResponseSchema.safeParse(out).error).toBeUndefined();
        expect(out).toEqual(event);
        expect(throughSdk(out)).toEqual(withoutFalse(event));
      }),
    );
  });

  it('does not copy what needs no change', () => {
    const event: Event = { task: deepFreeze(structuredClone(completedTask)) };
    expect(wire.encodeEvent(event, { final: true })).toEqual(event);
    const out = wire.encodeEvent(event, { final: true }) as unknown as { task: ModelTask };
    expect(out.task).toBe(event.task);
  });

  it('omits empty optional lists at every level', () => {
    const message = { ...agentMessage, extensions: [], referenceTaskIds: [] };
    const artifact = { artifactId: 'a', parts: [{ text: 'x' }], extensions: [] };
    const status = { state: 'TASK_STATE_WORKING' as const, message };
    const full = deepFreeze({ id: 't', contextId: 'c', status, artifacts: [artifact], history: [message] });
    const ids = { taskId: 't', contextId: 'c' };
    const events: Event[] = [
      { task: full },
      { task: { ...full, artifacts: [], history: [] } },
      { message },
      { statusUpdate: { ...ids, status } },
      { artifactUpdate: { ...ids, artifact } },
    ];
    for (const event of events) {
      expect(streamResponseSchema.safeParse(event).success).toBe(false);
      const out = wire.encodeEvent(event, { final: false });
      expect(streamResponseSchema.safeParse(out).error).toBeUndefined();
      expect(JSON.stringify(out)).not.toContain('[]');
    }
  });
});

describe('results', () => {
  it('SendMessage wraps the task or the message', () => {
    for (const response of [{ task: completedTask }, { message: agentMessage }]) {
      const out = encode('SendMessage', response);
      expect(out).toEqual(response);
      expect(sendMessageResponseSchema.safeParse(out).success).toBe(true);
    }
  });

  it('GetTask and CancelTask are bare tasks', () => {
    fc.assert(
      fc.property(task, (value) => {
        expect(encode('GetTask', value)).toEqual(value);
        expect(taskSchema.safeParse(encode('CancelTask', value)).error).toBeUndefined();
        expect(Task.toJSON(Task.fromJSON(encode('GetTask', value) as never))).toEqual(value);
      }),
      { numRuns: 50 },
    );
  });

  it('ListTasks has all four fields, also when there is nothing', () => {
    const empty = { tasks: [], nextPageToken: '', pageSize: 50, totalSize: 0 };
    expect(encode('ListTasks', empty)).toEqual(empty);
    const page = {
      tasks: [{ ...completedTask, history: [] }],
      nextPageToken: 'n',
      pageSize: 1,
      totalSize: 7,
    };
    const out = encode('ListTasks', page);
    expect(listTasksResponseSchema.safeParse(out).error).toBeUndefined();
    expect(ListTasksResponse.fromJSON(out as never)).toMatchObject({ nextPageToken: 'n', totalSize: 7 });
  });

  it('push configurations keep their shape, and deletion answers null', () => {
    expect(encode('CreateTaskPushNotificationConfig', pushConfig)).toEqual(pushConfig);
    expect(pushConfigSchema.safeParse(encode('GetTaskPushNotificationConfig', pushConfig)).success).toBe(
      true,
    );
    expect(encode('ListTaskPushNotificationConfigs', { configs: [], nextPageToken: '' })).toEqual({
      configs: [],
    });
    expect(encode('ListTaskPushNotificationConfigs', { configs: [pushConfig], nextPageToken: 'n' })).toEqual({
      configs: [pushConfig],
      nextPageToken: 'n',
    });
    expect(encode('DeleteTaskPushNotificationConfig', null)).toBeNull();
  });

  it('streamed results are events', () => {
    for (const event of streamEvents) expect(encode('SubscribeToTask', event)).toEqual(event);
  });
});

describe('encodeError', () => {
  const envelope = (error: A2AError) => ({ jsonrpc: '2.0', id: 1, error: wire.encodeError(error) });

  it('has code, message and typed details', () => {
    const error = new A2AError('task-not-found', undefined, {
      metadata: { taskId: 't' },
      cause: new Error('secret'),
    });
    expect(envelope(error)).toEqual({
      jsonrpc: '2.0',
      id: 1,
      error: {
        code: -32001,
        message: 'Task not found',
        data: [
          {
            '@type': 'type.googleapis.com/google.rpc.ErrorInfo',
            reason: 'TASK_NOT_FOUND',
            domain: 'a2a-protocol.org',
            metadata: { taskId: 't' },
          },
        ],
      },
    });
  });

  it('passes the strict schema', () => {
    for (const error of [new A2AError('parse-error'), invalidParams('f', 'd'), new A2AError('unavailable')]) {
      expect(errorEnvelopeSchema.safeParse(envelope(error)).error).toBeUndefined();
    }
    expect('data' in wire.encodeError(new A2AError('method-not-found'))).toBe(false);
  });
});
