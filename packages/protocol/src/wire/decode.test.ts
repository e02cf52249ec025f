/** What holds for every method of both versions. */

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { json } from '../../test/arbitraries.ts';
import { A2AError } from '../errors.ts';
import type { Method } from './codec.ts';
import { codec as codec0_3 } from './v0_3/index.ts';
import { codec as codec1_0 } from './v1_0/index.ts';

const methods: [string, Method][] = [...codec1_0().methods, ...codec0_3({ full: true }).methods];

const name = fc.constantFrom(
  ...[
    'message',
    'messageId',
    'message_id',
    'role',
    'parts',
    'kind',
    'text',
    'raw',
    'url',
    'data',
    'file',
    'bytes',
    'uri',
  ],
  ...[
    'configuration',
    'historyLength',
    'historyScope',
    'contextId',
    'context_id',
    'taskId',
    'id',
    'metadata',
    'status',
  ],
  ...[
    'pageSize',
    'pushNotificationConfig',
    'authentication',
    'schemes',
    'command',
    'context',
    '__proto__',
    'extensions',
  ],
);
const value = fc.letrec((tie) => ({
  any: fc.oneof(
    { maxDepth: 5, withCrossShrink: true },
    fc.constantFrom('ROLE_USER', 'user', 'text', 'QQ==', '', '\ud800', 1, -1, 0.5, true, null, 'message'),
    json,
    fc.array(tie('any'), { maxLength: 3 }),
    fc.array(fc.tuple(name, tie('any')), { maxLength: 6 }).map((entries) => Object.fromEntries(entries)),
  ),
})).any;

/** The error of a call, or undefined. */
function thrown(call: () => unknown): unknown {
  try {
    call();
    return undefined;
  } catch (error) {
    return error;
  }
}

describe.each(methods)('%s', (_name, method) => {
  it('reads any JSON or refuses it with invalid-params', () => {
    let refused = 0;
    fc.assert(
      fc.property(value, (params) => {
        const before = JSON.stringify(params);
        const error = thrown(() => method.decode(params));
        if (error !== undefined) {
          refused += 1;
          expect(error).toBeInstanceOf(A2AError);
          expect((error as A2AError).kind).toBe('invalid-params');
          expect((error as A2AError).fieldViolations?.length ?? 0).toBeLessThanOrEqual(20);
        }
        expect(JSON.stringify(params)).toBe(before);
        expect(Object.keys(Object.prototype)).toEqual([]);
      }),
      { numRuns: 200 },
    );
    expect(refused).toBeGreaterThan(0);
  });

  it.each([[[]], ['x'], [5], [true]])('refuses params %j', (params) => {
    expect(thrown(() => method.decode(params))).toMatchObject({ kind: 'invalid-params' });
  });
});

it('each method names the operation that it is', () => {
  const rows = methods.map(
    ([method, { operation, streams }]) => `${method} ${operation}${streams ? ' streams' : ''}`,
  );
  expect(rows).toEqual([
    'SendMessage SendMessage',
    'SendStreamingMessage SendStreamingMessage streams',
    'GetTask GetTask',
    'ListTasks ListTasks',
    'CancelTask CancelTask',
    'SubscribeToTask SubscribeToTask streams',
    'GetExtendedAgentCard GetExtendedAgentCard',
    'CreateTaskPushNotificationConfig CreateTaskPushNotificationConfig',
    'GetTaskPushNotificationConfig GetTaskPushNotificationConfig',
    'ListTaskPushNotificationConfigs ListTaskPushNotificationConfigs',
    'DeleteTaskPushNotificationConfig DeleteTaskPushNotificationConfig',
    'message/send SendMessage',
    'message/stream SendStreamingMessage streams',
    'tasks/get GetTask',
    'tasks/cancel CancelTask',
    'tasks/resubscribe SubscribeToTask streams',
    'tasks/pushNotificationConfig/set CreateTaskPushNotificationConfig',
    'tasks/pushNotificationConfig/get GetTaskPushNotificationConfig',
    'tasks/pushNotificationConfig/list ListTaskPushNotificationConfigs',
    'tasks/pushNotificationConfig/delete DeleteTaskPushNotificationConfig',
    'agent/getAuthenticatedExtendedCard GetExtendedAgentCard',
  ]);
});

it('0.3 has four methods unless the full set is asked for', () => {
  expect([...codec0_3().methods.keys()]).toEqual([
    'message/send',
    'message/stream',
    'tasks/get',
    'tasks/cancel',
  ]);
  expect(codec0_3().methods.get('constructor')).toBeUndefined();
});
