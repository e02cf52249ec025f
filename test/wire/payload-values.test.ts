import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Served, serve } from '../support/serve.ts';
import { call, collectFrames, expectRefusal, type Fields, rpc, userMessage, userMessageV0_3 } from './rpc.ts';

let served: Served;
beforeAll(async () => {
  served = await serve();
});
afterAll(() => served.close());

const VALUES: [string, unknown][] = [
  ['an integer', 3],
  ['a fraction', 0.1],
  ['a large integer', 9_007_199_254_740_991],
  ['null', { n: null, list: [null, { deep: null }] }],
  ['empty things', { text: '', list: [], object: {}, no: false, zero: 0 }],
  ['numbers in text', { a: '3', b: '3.0', c: 'null' }],
  ['names in every case', { snake_case: 1, camelCase: 2, 'kebab-case': 3, UPPER: { inner_key: 4 } }],
  ['names of ours', { kind: 'task', final: true, '@type': 'x', toolCalls: [], resume: null, taskId: 't' }],
  ['text beyond ASCII', { text: 'ü 👋 \u2028 \u0000 "' }],
];
const exactly = (value: unknown): string => JSON.stringify(value);

describe('U04: what a caller sends comes back as it was sent', () => {
  it.each(VALUES)('%s, over 1.0', async (_, value) => {
    const metadata = { value } as Fields;
    const message = userMessage('', {
      parts: [
        { data: value, metadata },
        { text: 'x', metadata },
      ],
      metadata,
    });
    const { task } = (await rpc(served, 'turn', 'SendMessage', { message })).result;
    const [frame] = await collectFrames(
      served,
      'turn',
      call('SendStreamingMessage', { message: { ...message, messageId: 'm' } }),
    );
    const got = (await rpc(served, 'turn', 'GetTask', { id: task.id })).result;
    for (const { history } of [task, got, frame?.data.result.task]) {
      expect(exactly(history[0].parts)).toBe(
        exactly([
          { data: value, metadata },
          { text: 'x', metadata },
        ]),
      );
      expect(exactly(history[0].metadata)).toBe(exactly(metadata));
    }
    // The agent was given it, and gave it back.
    expect(exactly(got.artifacts[0].parts[0].data.data)).toBe(exactly([value]));
  });

  it.each(VALUES)('%s, over 0.3', async (_, value) => {
    const metadata = { value } as Fields;
    const parts = [{ kind: 'data', data: { value }, metadata }];
    const message = userMessageV0_3('', { parts, metadata });
    const task = (await rpc(served, 'turn', 'message/send', { message })).result;
    const got = (await rpc(served, 'turn', 'tasks/get', { id: task.id })).result;
    for (const { history } of [task, got]) {
      expect(exactly(history[0].parts)).toBe(exactly(parts));
      expect(exactly(history[0].metadata)).toBe(exactly(metadata));
    }
    expect(exactly(got.artifacts[0].parts[0].data.data)).toBe(exactly([{ value }]));
  });

  it('without fields that nobody knows, which are ignored; a wrong type is refused', async () => {
    const unknown = { future: { field: [1] }, x_y: null };
    const message = userMessage('', { parts: [{ text: 'x', ...unknown }], ...unknown });
    const { task } = (await rpc(served, 'echo', 'SendMessage', { message, ...unknown })).result;
    expect(task.history[0].parts).toEqual([{ text: 'x' }]);
    expect(JSON.stringify(task)).not.toContain('future');
    for (const [wrong, field] of [
      [{ text: 3 }, 'message.parts[0].text'],
      [{ text: 'x', metadata: [] }, 'message.parts[0].metadata'],
      [{ text: 'x', filename: 3 }, 'message.parts[0].filename'],
    ] as const) {
      const refused = userMessage('', { parts: [wrong] });
      expectRefusal(await served.post('echo', call('SendMessage', { message: refused })), {
        code: -32602,
        field,
      });
    }
  });
});
