import { setTimeout as sleep } from 'node:timers/promises';
import { AIMessage } from '@langchain/core/messages';
import { tool } from '@langchain/core/tools';
import { Annotation, interrupt, MessagesAnnotation, START, StateGraph } from '@langchain/langgraph';
import { createAgent } from 'langchain';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { z } from 'zod';
import { ScriptedModel } from '../support/scripted-model.ts';
import { type Served, serve } from '../support/serve.ts';
import { connectV1_0, type StoryClient, type StoryTask, textOf } from '../support/story-clients.ts';
import { call, collectFrames, type Fields, rpc, sendText, userMessage } from '../wire/rpc.ts';

const says = (text: string): ScriptedModel => new ScriptedModel({ reply: () => text });

/** Streams a plan, asks, then answers: one node, two model calls. */
const planner = new StateGraph(MessagesAnnotation)
  .addNode('plan', async ({ messages }, config) => {
    await says('the plan').invoke(messages, config);
    interrupt('go on?');
    return { messages: [await says('the answer').invoke(messages, config)] };
  })
  .addEdge(START, 'plan')
  .compile();

const twoQuestions = new StateGraph(MessagesAnnotation)
  .addNode('ask', () => ({
    messages: [{ role: 'assistant', content: `${interrupt('first?')}, ${interrupt('second?')}` }],
  }))
  .addEdge(START, 'ask')
  .compile();

/** Says something, calls it a deed, and asks twice in the node after it. */
const deeds: string[] = [];
const prepared = new StateGraph(MessagesAnnotation)
  .addNode('prepare', () => {
    deeds.push('done');
    return { messages: [{ role: 'assistant', content: 'prepared' }] };
  })
  .addNode('ask', () => ({
    messages: [{ role: 'assistant', content: `${interrupt('first?')}, ${interrupt('second?')}` }],
  }))
  .addEdge(START, 'prepare')
  .addEdge('prepare', 'ask')
  .compile();

const report = { type: 'file', mimeType: 'text/csv', data: 'YSxi', metadata: { filename: 'report.csv' } };
/** Streams its text and hands over a file with it. */
const reporter = new StateGraph(MessagesAnnotation)
  .addNode('report', async ({ messages }, config) => {
    const { id, text } = await says('here it is').invoke(messages, config);
    return {
      messages: [new AIMessage({ ...(id ? { id } : {}), content: [{ type: 'text', text }, report] })],
    };
  })
  .addEdge(START, 'report')
  .compile();

const sure = tool(() => interrupt('sure?'), { name: 'sure', description: 'Asks', schema: z.object({}) });
const asker = createAgent({
  model: new ScriptedModel({
    reply: (messages) =>
      messages.at(-1)?.getType() === 'tool'
        ? 'as you wish'
        : { text: 'one moment', calls: [{ name: 'sure', args: {} }] },
  }),
  tools: [sure],
});

/** Without a reducer, and it returns its reply alone. */
const forgetful = new StateGraph(
  Annotation.Root({ messages: Annotation<{ role: string; content: string }[]>() }),
)
  .addNode('say', () => ({ messages: [{ role: 'assistant', content: 'only the reply' }] }))
  .addEdge(START, 'say')
  .compile();

/** Without a reducer, and it keeps the newest messages alone. */
const trimming = new StateGraph(
  Annotation.Root({ messages: Annotation<{ role: string; content: string }[]>() }),
)
  .addNode('say', ({ messages }) => ({
    messages: [...messages.slice(-2), { role: 'assistant', content: `heard ${messages.at(-1)?.content}` }],
  }))
  .addEdge(START, 'say')
  .compile();

let served: Served;
beforeAll(async () => {
  served = await serve({
    graphs: { planner, 'two-questions': twoQuestions, prepared, reporter, asker, forgetful, trimming },
  });
});
afterAll(() => served.close());

const to = (graphId: string): Promise<StoryClient> => connectV1_0(served.endpoint(graphId));
const say = (text: string): { parts: [{ text: string }] } => ({ parts: [{ text }] });
const texts = (task: StoryTask): string[] => task.artifacts.map(({ parts }) => textOf(parts));
const named = (task: StoryTask, name: string) => task.artifacts.filter((artifact) => artifact.name === name);

it('what a node streamed before its question does not stand in for its answer', async () => {
  const client = await to('planner');
  let id = '';
  for await (const event of client.stream(say('do it'))) if (event.kind === 'task') id = event.task.id;
  expect(texts(await client.get(id))).toContain('the plan');
  const done = await client.send({ ...say('yes'), taskId: id });
  expect(done.state).toBe('completed');
  expect(texts(done)[0]).toBe('the answer');
});

it('a second question takes the place of the first', async () => {
  const client = await to('two-questions');
  const first = await client.send(say('hi'));
  const second = await client.send({ ...say('one'), taskId: first.id });
  expect(second.question).toBe('second?');
  expect(named(first, 'Interrupt')).toMatchObject([{ parts: [{ data: { value: 'first?' } }] }]);
  expect(named(second, 'Interrupt')).toMatchObject([{ parts: [{ data: { value: 'second?' } }] }]);
  expect(texts(await client.send({ ...say('two'), taskId: first.id }))[0]).toBe('one, two');
});

it('U15: a task works and waits in turn, and what came before the questions is told and done once', async () => {
  const first = await Promise.race([sendText(served, 'prepared', 'go'), sleep(2_000)]);
  if (!first) throw new Error('a sender who waits was not answered with the question');
  expect(first.status).toMatchObject({
    state: 'TASK_STATE_INPUT_REQUIRED',
    message: { parts: [{ text: 'first?' }, { data: { value: 'first?' } }] },
  });
  const second = await sendText(served, 'prepared', 'one', { taskId: first.id });
  expect(second.status.message.parts).toMatchObject([{ text: 'second?' }, { data: { value: 'second?' } }]);
  const done = await sendText(served, 'prepared', 'two', { taskId: first.id });
  const frames = await collectFrames(served, 'prepared', call('SubscribeToTask', { id: first.id }), {
    'Last-Event-ID': '0',
  });
  const states = frames.flatMap(({ data: { result } }) => result.statusUpdate?.status.state ?? []);
  expect(states.map((state) => state.replace('TASK_STATE_', ''))).toEqual([
    'WORKING',
    'INPUT_REQUIRED',
    'WORKING',
    'INPUT_REQUIRED',
    'WORKING',
    'COMPLETED',
  ]);
  expect(deeds).toEqual(['done']);
  const told = frames.flatMap(({ data: { result } }) => result.artifactUpdate?.artifact.parts[0].text ?? []);
  expect(told).toEqual(['prepared', 'one, two']);
  expect(done.artifacts.flatMap(({ parts }: Fields) => parts[0].text ?? [])).toEqual([
    'one, two',
    'prepared',
  ]);
  const said = done.history.map(({ parts }: Fields) => parts[0].text);
  expect(said).toEqual(['go', 'prepared', 'one', 'two', 'one, two']);
});

it('U25: a file comes with the text that was streamed, in the stream and in the task', async () => {
  const message = userMessage('go');
  const frames = await collectFrames(served, 'reporter', call('SendStreamingMessage', { message }));
  const updates = frames.flatMap(({ data: { result } }) => result.artifactUpdate ?? []);
  const parts: Fields[] = updates.flatMap(({ artifact }) => artifact.parts);
  expect(parts.map(({ text }) => text ?? '').join('')).toBe('here it is');
  const file = { raw: 'YSxi', mediaType: 'text/csv', filename: 'report.csv' };
  expect(parts.filter((part) => !('text' in part))).toEqual([file]);
  const { id } = frames[0]?.data.result.task ?? {};
  const { artifacts, history } = (await rpc(served, 'reporter', 'GetTask', { id })).result;
  expect(artifacts[0].parts).toEqual([{ text: 'here it is' }, file]);
  expect(history.at(-1).parts).toEqual(artifacts[0].parts);
});

it('the call of a tool that asks is published once, with its result', async () => {
  const client = await to('asker');
  const asked = await client.send(say('go'));
  const done = await client.send({ ...say('yes'), taskId: asked.id });
  const calls = (task: StoryTask): unknown[] =>
    named(task, 'Assistant Response').flatMap(({ parts }) => parts.filter((part) => 'data' in part));
  expect(calls(asked)).toEqual([]);
  expect(calls(done)).toMatchObject([
    { data: { toolCalls: [{ name: 'sure' }], toolResults: [{ content: 'yes', status: 'success' }] } },
  ]);
  expect(done.history.map(({ text }) => text)).toEqual(['go', 'one moment', 'yes', '', 'as you wish']);
});

it('a graph without a reducer may return its reply alone', async () => {
  const client = await to('forgetful');
  const first = await client.send(say('a'));
  const second = await client.send({ ...say('b'), contextId: first.contextId });
  expect([texts(first), texts(second)]).toEqual([['only the reply'], ['only the reply']]);
});

it('a graph without a reducer may drop old messages, which do not go out again', async () => {
  const client = await to('trimming');
  let contextId: string | undefined;
  for (const text of ['a', 'b', 'c', 'd']) {
    const task: StoryTask = await client.send({
      ...say(text),
      ...(contextId === undefined ? {} : { contextId }),
    });
    contextId = task.contextId;
    expect(texts(task)).toEqual([`heard ${text}`]);
  }
});
