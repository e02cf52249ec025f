import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createFixture } from '../support/graphs.ts';
import { type Served, serve } from '../support/serve.ts';
import {
  call,
  collectFrames,
  expectRefusal,
  type Fields,
  rpc,
  sendText,
  userMessage,
  userMessageV0_3,
} from './rpc.ts';

/** What reaches the caller of an error: an agent's own words do, those of a fault do not. */
const SECRET = 'password=hunter2 at db.internal:5432';
let served: Served;
beforeAll(async () => {
  const faulty = () => {
    throw new Error(SECRET);
  };
  served = await serve({ graphs: { ...createFixture().graphs, faulty } });
});
afterAll(() => served.close());

describe('U31: an agent that ends its task on purpose', () => {
  it.each([
    ['fail', 'TASK_STATE_FAILED', 'could not do it'],
    ['reject', 'TASK_STATE_REJECTED', 'not for me'],
    ['auth', 'TASK_STATE_AUTH_REQUIRED', 'log in first'],
    ['input', 'TASK_STATE_INPUT_REQUIRED', 'which one?'],
  ])('by %s is heard in its own words', async (text, state, words) => {
    const { status, id } = await sendText(served, 'turn', text);
    expect(status).toMatchObject({ state, message: { role: 'ROLE_AGENT', parts: [{ text: words }] } });
    expect((await rpc(served, 'turn', 'GetTask', { id })).result.status).toEqual(status);
    const v0 = await rpc(served, 'turn', 'message/send', { message: userMessageV0_3(text) });
    expect(v0.result.status.message.parts).toEqual([{ kind: 'text', text: words }]);
    if (text === 'auth') return;
    const message = userMessage(text);
    const frames = await collectFrames(served, 'turn', call('SendStreamingMessage', { message }));
    const last = frames.at(-1)?.data.result.statusUpdate.status;
    expect(last).toMatchObject({ state, message: { parts: [{ text: words }] } });
  });
});

describe('U31: a fault', () => {
  it.each([
    ['SendMessage', userMessage],
    ['SendStreamingMessage', userMessage],
    ['message/send', userMessageV0_3],
  ])(
    'while a request is answered is a sentence and an id, under which the log has the cause: %s',
    async (method, say) => {
      const answer = await served.post('faulty', call(method, { message: say('x') }, 'f'));
      const { error, id } = answer.body;
      expect([error?.code, id]).toEqual([-32603, 'f']);
      expect(JSON.stringify(answer.body)).not.toContain('hunter2');
      const [, correlationId] =
        /^An internal error occurred \(correlation id ([0-9a-f-]{36})\)$/.exec(error?.message ?? '') ?? [];
      const logged = served.log
        .map((line) => JSON.parse(line))
        .filter((line) => line.correlationId === correlationId);
      expect(logged).toMatchObject([{ err: { message: SECRET } }]);
    },
  );

  it('of the caller keeps its own text', async () => {
    const params: Fields = { id: 'x', historyLength: 11 };
    expectRefusal(await served.post('echo', call('GetTask', params)), {
      code: -32602,
      message: 'historyLength cannot exceed 10',
    });
    const { id } = await sendText(served, 'echo', 'x');
    expectRefusal(
      await served.post('echo', call('SendMessage', { message: userMessage('x', { taskId: id }) })),
      { code: -32004, message: `task ${id} has ended` },
    );
  });
});
