import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createFixture } from '../support/graphs.ts';
import { type Served, serve } from '../support/serve.ts';
import { createWireGraphs } from './graphs.ts';
import {
  call,
  expectRefusal,
  type Fields,
  rpc,
  sendParts,
  sendText,
  totalOf,
  userMessage,
  userMessageV0_3,
} from './rpc.ts';

let served: Served;
beforeAll(async () => {
  served = await serve({ graphs: { ...createFixture().graphs, ...createWireGraphs().graphs } });
});
afterAll(() => served.close());

const interruptsOf = (task: Fields): Fields[] =>
  task.artifacts
    .filter(({ name }: Fields) => name === 'Interrupt')
    .at(-1)
    .parts.map(({ data }: Fields) => data);
const answering = (graphId: string, taskId: string, resume: unknown): ReturnType<Served['post']> =>
  served.post(
    graphId,
    call('SendMessage', { message: userMessage('', { taskId, parts: [{ data: { resume } }] }) }),
  );

describe('U15: a question', () => {
  it('stands in the status as text and data, and in an artifact, in both versions', async () => {
    const task = await sendText(served, 'approval', 'pay');
    const [question] = interruptsOf(task);
    expect(question).toMatchObject({
      id: expect.stringMatching(/^[0-9a-f]{32}$/),
      value: { question: 'Approve 42 EUR?', amount: 42 },
      responseSchema: { type: 'object', required: ['approved'] },
    });
    expect(task.status.message.parts).toEqual([
      { text: 'Approve 42 EUR?' },
      { data: question, metadata: { langgraph: 'interrupt' } },
    ]);
    const { result } = await rpc(served, 'approval', 'message/send', { message: userMessageV0_3('pay') });
    const [text, data] = result.status.message.parts;
    expect(text).toEqual({ kind: 'text', text: 'Approve 42 EUR?' });
    expect(Object.keys(data.data)).toEqual(['id', 'value', 'response_schema']);
    expect(data.data.value).toEqual({ question: 'Approve 42 EUR?', amount: 42 });
  });

  it('keeps its context: a message without its task is refused and the pause survives', async () => {
    const { id, contextId } = await sendText(served, 'approval', 'pay');
    const before = await rpc(served, 'approval', 'GetTask', { id });
    const total = await totalOf(served, 'approval');
    const message = `this context waits for an answer: send it with taskId ${id}`;
    for (const method of ['SendMessage', 'SendStreamingMessage']) {
      const answer = await served.post(
        'approval',
        call(method, { message: userMessage('{"approved":true}', { contextId }) }),
      );
      expectRefusal(answer, { code: -32602, message, field: 'message.taskId' });
    }
    const v0 = await rpc(served, 'approval', 'message/send', {
      message: userMessageV0_3('yes', { contextId }),
    });
    expect(v0.error).toMatchObject({ code: -32602, message });
    expect(await totalOf(served, 'approval')).toBe(total);
    expect(await rpc(served, 'approval', 'GetTask', { id })).toEqual(before);
    const done = (await answering('approval', id, { approved: true })).body.result.task;
    expect(done.artifacts[0].parts[0].text).toBe('paid');
  });

  it('of the turn API holds nothing: its context stays open', async () => {
    const { contextId } = await sendText(served, 'turn', 'input');
    expect((await sendText(served, 'turn', 'go', { contextId })).status.state).toBe('TASK_STATE_COMPLETED');
  });
});

describe('an answer that does not fit the schema', () => {
  it.each<[string, unknown, string]>([
    ['a wrong type', { approved: 'yes' }, 'message.parts[0].data.resume.approved'],
    ['a missing member', { note: 'x' }, 'message.parts[0].data.resume'],
    ['an empty object', {}, 'message.parts[0].data.resume'],
    ['null', null, 'message.parts[0].data.resume'],
    ['text', 'yes', 'message.parts[0].data.resume'],
    ['a list', [true], 'message.parts[0].data.resume'],
  ])('(%s) is refused, and the pause survives', async (_, resume, field) => {
    const { id } = await sendText(served, 'approval', 'pay');
    const before = await rpc(served, 'approval', 'GetTask', { id });
    const [{ id: question }] = interruptsOf(before.result) as [Fields];
    expectRefusal(await answering('approval', id, resume), {
      code: -32602,
      field,
      message: new RegExp(question.id),
    });
    expectRefusal(await answering('approval', id, { [question.id]: resume }), { code: -32602 });
    expect(await rpc(served, 'approval', 'GetTask', { id })).toEqual(before);
    const done = (await answering('approval', id, { approved: false, note: 'no' })).body.result.task;
    expect(done.artifacts[0].parts[0].text).toBe('refused: no');
  });

  it.each([
    ['yes', 'message.parts'],
    ['{"approved":', 'message.parts'],
    ['{"approved":1}', 'message.parts.approved'],
    ['[]', 'message.parts'],
  ])('as the text %s is refused too', async (text, field) => {
    const { id } = await sendText(served, 'approval', 'pay');
    const answer = await served.post(
      'approval',
      call('SendMessage', { message: userMessage(text, { taskId: id }) }),
    );
    expectRefusal(answer, { code: -32602, field });
    expect((await rpc(served, 'approval', 'GetTask', { id })).result.status.state).toBe(
      'TASK_STATE_INPUT_REQUIRED',
    );
    const done = await sendText(served, 'approval', '{"approved":true}', { taskId: id });
    expect(done.status.state).toBe('TASK_STATE_COMPLETED');
  });

  it('is refused to a stream as plain JSON, and over 0.3', async () => {
    const { id } = await sendText(served, 'approval', 'pay');
    const message = userMessage('', { taskId: id, parts: [{ data: { resume: 1 } }] });
    expectRefusal(await served.post('approval', call('SendStreamingMessage', { message })), { code: -32602 });
    const command = { ...userMessageV0_3('x', { taskId: id }), command: { resume: { approved: 3 } } };
    const refused = await rpc(served, 'approval', 'message/send', { message: command });
    expect(refused.error).toMatchObject({
      code: -32602,
      data: [{ fieldViolations: [{ field: 'message.command.resume.approved' }] }],
    });
    const taken = { ...command, command: { resume: { approved: true } } };
    expect((await rpc(served, 'approval', 'message/send', { message: taken })).result.status.state).toBe(
      'completed',
    );
  });
});

describe('U16: two questions', () => {
  it('take no answer without an address, and the error lists both', async () => {
    const task = await sendText(served, 'two-questions', 'go');
    const ids = interruptsOf(task).map(({ id }) => id);
    expect(ids).toHaveLength(2);
    expect(task.status.message.parts[0].text.split('\n').sort()).toEqual([
      'How old are you?',
      'What is your name?',
    ]);
    for (const parts of [
      [{ text: 'Ada' }],
      [{ data: { resume: 'Ada' } }],
      [{ data: { resume: { years: 3 } } }],
    ]) {
      const answer = await served.post(
        'two-questions',
        call('SendMessage', { message: userMessage('', { taskId: task.id, parts }) }),
      );
      expectRefusal(answer, { code: -32602 });
      for (const id of ids) expect(answer.body.error?.message).toContain(id);
    }
    expect((await rpc(served, 'two-questions', 'GetTask', { id: task.id })).result).toEqual(task);
  });

  it('are answered one by one; an answered or unknown id is refused with those that are open', async () => {
    const task = await sendText(served, 'two-questions', 'go');
    const byText = Object.fromEntries(interruptsOf(task).map(({ id, value }) => [JSON.stringify(value), id]));
    const name = byText['"What is your name?"'];
    const age = byText['{"question":"How old are you?"}'];
    const unknown = 'f'.repeat(32);
    for (const resume of [{ [unknown]: 'x' }, { [name]: 'Ada', [unknown]: 'x' }]) {
      const answer = await answering('two-questions', task.id, resume);
      expectRefusal(answer, { code: -32602, message: new RegExp(`(?=.*${name})(?=.*${age})`) });
    }
    expectRefusal(await answering('two-questions', task.id, { [name]: 'Ada', [age]: { years: -1 } }), {
      code: -32602,
      field: 'message.parts[0].data.resume.years',
    });
    const half = (await answering('two-questions', task.id, { [name]: 'Ada' })).body.result.task;
    expect(half.status.state).toBe('TASK_STATE_INPUT_REQUIRED');
    expect(half.status.message.parts[0].text).toBe('How old are you?');
    expect(interruptsOf(half).map(({ id }) => id)).toEqual([age]);
    const again = await answering('two-questions', task.id, { [name]: 'Eve' });
    expectRefusal(again, { code: -32602, message: new RegExp(age) });
    expect(again.body.error?.message.split('open:')[1]).not.toContain(name);
    const done = (await answering('two-questions', task.id, { years: 36 })).body.result.task;
    expect(done.status.state).toBe('TASK_STATE_COMPLETED');
    const said = done.history
      .map(({ parts }: Fields) => parts[0].text ?? '')
      .filter((text: string) => /^(?:name|age): /.test(text));
    expect(said.sort()).toEqual(['age: 36', 'name: Ada']);
  });

  it('are answered together', async () => {
    const task = await sendText(served, 'two-questions', 'go');
    const resume = Object.fromEntries(
      interruptsOf(task).map(({ id, value }) => [id, typeof value === 'string' ? 'Bob' : { years: 7 }]),
    );
    const done = (await answering('two-questions', task.id, resume)).body.result.task;
    expect(done.status.state).toBe('TASK_STATE_COMPLETED');
    expect(JSON.stringify(done.artifacts)).toContain('age: 7');
    expect(JSON.stringify(done.artifacts)).toContain('name: Bob');
  });

  it('of one node are asked one after the other, under one task', async () => {
    const first = await sendText(served, 'one-after-the-other', 'go');
    expect(first.status.message.parts[0].text).toBe('first?');
    const second = await sendText(served, 'one-after-the-other', 'A', { taskId: first.id });
    expect(second).toMatchObject({ id: first.id, status: { state: 'TASK_STATE_INPUT_REQUIRED' } });
    expect(second.status.message.parts[0].text).toBe('second?');
    const done = await sendParts(served, 'one-after-the-other', [{ data: { resume: { any: ['thing'] } } }], {
      taskId: first.id,
    });
    expect(done.status.state).toBe('TASK_STATE_COMPLETED');
    expect(done.artifacts[0].parts[0].text).toBe('A then [object Object]');
  });
});

describe('an answer', () => {
  it('stands in the history once, and its context goes on', async () => {
    const asked = await sendText(served, 'approval', 'plain', { contextId: 'goes-on' });
    const done = await sendText(served, 'approval', 'Ada', { taskId: asked.id });
    const texts = (task: Fields): string[] => task.history.map(({ parts }: Fields) => parts[0].text);
    expect(texts(done)).toEqual(['plain', 'Ada', 'hello Ada']);
    const next = await sendText(served, 'approval', 'plain', { contextId: 'goes-on' });
    expect(next.id).not.toBe(asked.id);
    expect(next.status.state).toBe('TASK_STATE_INPUT_REQUIRED');
    const answered = await sendText(served, 'approval', 'Bob', { taskId: next.id, contextId: 'goes-on' });
    expect(answered.artifacts[0].parts[0].text).toBe('hello Bob');
    expect(
      (await rpc(served, 'approval', 'GetTask', { id: asked.id, historyScope: 'task' })).result.history,
    ).toEqual(done.history);
  });

  it.each([
    ['null', null, 'hello null'],
    ['an empty string', '', 'hello '],
    ['zero', 0, 'hello 0'],
    ['false', false, 'hello false'],
  ])('%s is one where there is no schema', async (_, resume, text) => {
    const { id } = await sendText(served, 'approval', 'plain');
    const { task } = (await answering('approval', id, resume)).body.result;
    expect(task.status.state).toBe('TASK_STATE_COMPLETED');
    expect(task.artifacts[0].parts[0].text).toBe(text);
  });
});
