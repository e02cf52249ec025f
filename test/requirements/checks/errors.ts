import { errorEnvelopeSchema } from '@parley/protocol';
import { expect } from 'vitest';
import { expectShape } from '../../wire/shapes.ts';
import { COMPLETED, collect, message, refused, send, streamOf } from '../ask.ts';
import type { Check, Checks } from '../check.ts';
import type { Peer } from '../peer.ts';
import type { Operation } from '../wires/wire.ts';

const UNKNOWN = '00000000-0000-7000-8000-000000000000';
const PUSH: [Operation, object][] = [
  ['CreateTaskPushNotificationConfig', { url: 'https://example.com/hook' }],
  ['GetTaskPushNotificationConfig', { id: 'one' }],
  ['ListTaskPushNotificationConfigs', {}],
  ['DeleteTaskPushNotificationConfig', { id: 'one' }],
];

/** An error of every kind that this server can be brought to, with its code and reason. */
async function everyError(peer: Peer): Promise<{ code: number; reason: string; error: object }[]> {
  const ended = await send(peer, 'tck-complete-task');
  const full = peer.under('full');
  const mediaType = 'application/x-unsupported';
  const asked: [number, string, ReturnType<Peer['call']>][] = [
    [-32001, 'TASK_NOT_FOUND', peer.call('GetTask', { id: UNKNOWN })],
    [-32002, 'TASK_NOT_CANCELABLE', peer.call('CancelTask', { id: ended.id })],
    [
      -32003,
      'PUSH_NOTIFICATION_NOT_SUPPORTED',
      peer.call('ListTaskPushNotificationConfigs', { taskId: 'x' }),
    ],
    [-32004, 'UNSUPPORTED_OPERATION', peer.call('SubscribeToTask', { id: ended.id })],
    [
      -32005,
      'CONTENT_TYPE_NOT_SUPPORTED',
      full.call('SendMessage', { message: message('x', { parts: [{ raw: 'QQ==', mediaType }] }) }),
    ],
    [-32008, 'EXTENSION_SUPPORT_REQUIRED', peer.under('required-extension').call('GetTask', { id: UNKNOWN })],
    [-32009, 'VERSION_NOT_SUPPORTED', peer.call('GetTask', { id: UNKNOWN }, { 'A2A-Version': '99.0' })],
  ];
  return Promise.all(
    asked.map(async ([code, reason, answer]) => ({ code, reason, error: (await answer).error ?? {} })),
  );
}

/** A body that is no call of a method, to its error. */
async function faultOf(peer: Peer, body: unknown): Promise<{ id: unknown; code: number }> {
  const { status, headers, text } = await peer.post(body);
  expect([status, headers.get('content-type')]).toEqual([200, 'application/json']);
  const { id, error } = JSON.parse(text) as { id: unknown; error: { code: number } };
  return { id, code: error.code };
}

const everyOneHas =
  (holds: (error: { [key: string]: unknown }, code: number, reason: string) => void): Check =>
  async (peer) => {
    for (const { code, reason, error } of await everyError(peer)) holds({ ...error }, code, reason);
  };

export const errors: Checks = {
  'CORE-ERR-001': everyOneHas(({ code, message: sentence }) => {
    expect(code).toBeTypeOf('number');
    expect(sentence).toMatch(/\w/);
  }),

  'CORE-ERR-002': async (peer) => {
    for (const operation of ['SendMessage', 'SendStreamingMessage'] as const) {
      await refused(peer, operation, {}, { code: -32602, field: 'message' });
    }
  },

  'CORE-CAP-001': async (peer) => {
    const { id: taskId } = await send(peer, 'tck-complete-task');
    for (const [operation, params] of PUSH) {
      for (const of of [taskId, UNKNOWN]) {
        await refused(
          peer,
          operation,
          { taskId: of, ...params },
          {
            code: -32003,
            reason: 'PUSH_NOTIFICATION_NOT_SUPPORTED',
          },
        );
      }
    }
  },

  'PUSH-INLINE-OFF': async (peer) => {
    const webhook = { url: 'https://example.com/hook' };
    const named = { taskPushNotificationConfig: webhook, pushNotificationConfig: webhook };
    const task = await send(peer, 'tck-complete-task', {}, named);
    expect(task.status.state).toBe(COMPLETED);
  },

  'CORE-CAP-003': async (peer) => {
    await refused(peer, 'GetExtendedAgentCard', {}, { code: -32004, reason: 'UNSUPPORTED_OPERATION' });
  },

  'CORE-CAP-004': async (peer) => {
    const params = { message: message('tck-complete-task') };
    await refused(peer.under('required-extension'), 'SendMessage', params, {
      code: -32008,
      reason: 'EXTENSION_SUPPORT_REQUIRED',
    });
  },

  'JSONRPC-ERR-001': everyOneHas((error) => {
    for (const key of Object.keys(error)) expect(['code', 'message', 'data']).toContain(key);
  }),

  'JSONRPC-ERR-002': everyOneHas(({ code }) => {
    expect(code).toBeLessThanOrEqual(-32001);
    expect(code).toBeGreaterThanOrEqual(-32099);
  }),

  'JSONRPC-ERR-003': everyOneHas(({ data }, _, reason) => {
    const info = { '@type': 'type.googleapis.com/google.rpc.ErrorInfo', reason, domain: 'a2a-protocol.org' };
    expect(data).toContainEqual(expect.objectContaining(info));
  }),

  'JSONRPC-SSE-002': everyOneHas(({ code }, expected) => expect(code).toBe(expected)),

  'ERR-DATA-TYPED': async (peer) => {
    const all = await everyError(peer);
    const { envelope } = await peer.call('SendMessage', { message: {} });
    for (const error of [...all.map((one) => one.error), envelope.error]) {
      expectShape(errorEnvelopeSchema, { jsonrpc: '2.0', id: 1, error });
      for (const one of error.data) expect(one['@type']).toMatch(/^type\.googleapis\.com\/google\.rpc\./);
    }
  },

  'ERR-PARSE': async (peer) => {
    for (const body of ['{"jsonrpc":', '', 'nonsense']) {
      expect(await faultOf(peer, body)).toEqual({ id: null, code: -32700 });
    }
  },

  'ERR-INVALID-REQUEST': async (peer) => {
    const { jsonrpc: _, ...unnamed } = peer.request('GetTask', { id: UNKNOWN });
    for (const body of ['[]', 'null', '"text"', unnamed, { jsonrpc: '2.0', id: 1, method: 7 }]) {
      expect((await faultOf(peer, body)).code).toBe(-32600);
    }
  },

  'ERR-METHOD': async (peer) => {
    for (const method of ['NoSuchMethod', 'sendMessage', 'message/Send', 'toString']) {
      const fault = await faultOf(peer, { jsonrpc: '2.0', id: 'm', method, params: {} });
      expect(fault).toEqual({ id: 'm', code: -32601 });
    }
  },

  'ERR-INTERNAL': async (peer) => {
    const task = await send(peer, 'own-throw');
    const events = await collect(streamOf(peer, 'own-throw'));
    expect(task.status.state).toBe('TASK_STATE_FAILED');
    expect(events.at(-1)?.statusUpdate.status.state).toBe('TASK_STATE_FAILED');
    expect(JSON.stringify([task, events])).not.toMatch(/hunter2|db\.internal|behaviours|node_modules|\.ts\b/);
  },

  'ERR-SIZE': async (peer) => {
    const body = peer.request('SendMessage', {
      message: message('x', { parts: [{ text: 'x'.repeat(11 * 1_048_576) }] }),
    });
    const { status, text } = await peer.post(body);
    expect(status).toBe(413);
    expect(JSON.parse(text)).toMatchObject({ jsonrpc: '2.0', error: { code: -32000 } });
  },

  'ERR-ROUTE': async (peer) => {
    for (const path of ['/no/such/path', '/v1/message:send', '/a2a']) {
      const response = await fetch(new URL(path, peer.endpoint));
      expect(response.status).toBe(404);
      expect(response.headers.get('content-type')).toMatch(/json/);
      expect(await response.json()).toHaveProperty('error');
    }
  },

  'ERR-VERB': async (peer) => {
    const response = await fetch(peer.endpoint, { method: 'PUT' });
    expect(response.status).toBe(405);
    expect(response.headers.get('allow')).toBe('GET, POST');
    expect(await response.json()).toHaveProperty('error');
  },
};
