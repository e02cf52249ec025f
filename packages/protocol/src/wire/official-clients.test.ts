/** The official clients against the codecs alone: what they send is understood, what is answered they read. */

import {
  AgentCard as SdkCard,
  Message as SdkMessage,
  TaskPushNotificationConfig as SdkPushConfig,
  Task as SdkTask,
  SendMessageRequest,
  StreamResponse,
} from '@a2a-js/sdk';
import { JsonRpcTransportFactory } from '@a2a-js/sdk/client';
import { LegacyJsonRpcTransport } from '@a2a-js/sdk/compat/v0_3/client';
import { JsonRpcTransport as Transport0_3 } from 'a2a-sdk-v0_3/client';
import { describe, expect, it } from 'vitest';
import {
  agentMessage,
  card,
  completedTask,
  pushConfig,
  streamEvents,
  userMessage,
} from '../../test/fixtures.ts';
import { tinyServer } from '../../test/tiny-server.ts';
import { A2AError } from '../errors.ts';
import type { Message } from '../model.ts';
import { codec as codec0_3 } from './v0_3/index.ts';
import { codec as codec1_0 } from './v1_0/index.ts';

const answers = {
  SendMessage: { task: completedTask },
  SendStreamingMessage: streamEvents,
  GetTask: completedTask,
  ListTasks: { tasks: [completedTask], nextPageToken: 'n', pageSize: 50, totalSize: 2 },
  CancelTask: completedTask,
  SubscribeToTask: streamEvents,
  GetExtendedAgentCard: card,
  CreateTaskPushNotificationConfig: pushConfig,
  GetTaskPushNotificationConfig: pushConfig,
  ListTaskPushNotificationConfigs: { configs: [pushConfig] },
  DeleteTaskPushNotificationConfig: null,
};

const sendRequest = SendMessageRequest.fromJSON({
  message: { ...userMessage, role: 'ROLE_USER' },
  configuration: {
    historyLength: 3,
    returnImmediately: true,
    taskPushNotificationConfig: { ...pushConfig, taskId: '' },
  },
  metadata: { a: 1 },
} as never);

/** What both clients of SDK 1.3.0 send, as the engine sees it. */
const { taskId: _, ...inlinePush } = pushConfig;
const sent = {
  message: userMessage,
  configuration: { historyLength: 3, returnImmediately: true, taskPushNotificationConfig: inlinePush },
  metadata: { a: 1 },
};

async function collect<T>(events: AsyncIterable<T>): Promise<T[]> {
  const list: T[] = [];
  for await (const event of events) list.push(event);
  return list;
}

const text = (value: unknown) => JSON.parse(JSON.stringify(value));
const task = (value: unknown) => text(SdkTask.toJSON(value as SdkTask));
const events = (list: StreamResponse[]) => list.map((event) => text(StreamResponse.toJSON(event)));

const versions = [
  [
    '1.0',
    codec1_0(),
    (fetchImpl: typeof fetch) =>
      new JsonRpcTransportFactory({ fetchImpl }).create('http://h', SdkCard.fromJSON({})),
  ],
  [
    '0.3 through the compatibility layer',
    codec0_3({ full: true }),
    async (fetchImpl: typeof fetch) => new LegacyJsonRpcTransport({ endpoint: 'http://h', fetchImpl }),
  ],
] as const;

describe.each(versions)('SDK 1.3.0 speaking %s', (name, codec, connect) => {
  const setUp = async (more: object = {}) => {
    const server = tinyServer(codec, { ...answers, ...more });
    return { client: await connect(server.fetch), calls: server.calls };
  };

  it('sends a message and reads the task or the message', async () => {
    const { client, calls } = await setUp();
    expect(task(await client.sendMessage(sendRequest))).toEqual(completedTask);
    expect(calls).toEqual([{ operation: 'SendMessage', request: sent }]);
    const direct = await setUp({ SendMessage: { message: agentMessage } });
    const reply = (await direct.client.sendMessage(sendRequest)) as SdkMessage;
    expect(text(SdkMessage.toJSON(reply))).toEqual(agentMessage);
  });

  it('sends an empty contextId, which is none', async () => {
    const { client, calls } = await setUp();
    await client.sendMessage(
      SendMessageRequest.fromJSON({
        message: { messageId: 'm', role: 'ROLE_USER', parts: [{ text: 'x' }] },
      } as never),
    );
    const message = { messageId: 'm', role: 'ROLE_USER', parts: [{ text: 'x' }] };
    expect(calls.map(({ request }) => (request as { message: Message }).message)).toEqual([message]);
  });

  it('reads streams', async () => {
    const { client, calls } = await setUp();
    expect(events(await collect(client.sendMessageStream(sendRequest)))).toEqual(streamEvents);
    expect(events(await collect(client.resubscribeTask({ tenant: '', id: 't' })))).toEqual(streamEvents);
    const { historyLength: _length, ...configuration } = sent.configuration;
    expect(calls).toEqual([
      { operation: 'SendStreamingMessage', request: { ...sent, configuration } },
      { operation: 'SubscribeToTask', request: { id: 't' } },
    ]);
  });

  it('gets and cancels tasks', async () => {
    const { client, calls } = await setUp();
    expect(task(await client.getTask({ tenant: '', id: 't', historyLength: 0 }))).toEqual(completedTask);
    expect(task(await client.cancelTask({ tenant: '', id: 't', metadata: { why: 'x' } }))).toEqual(
      completedTask,
    );
    expect(calls).toEqual([
      { operation: 'GetTask', request: { id: 't', historyLength: 0 } },
      { operation: 'CancelTask', request: { id: 't', metadata: { why: 'x' } } },
    ]);
  });

  it('manages push configurations', async () => {
    const { client, calls } = await setUp();
    const config = SdkPushConfig.fromJSON(pushConfig as never);
    const ref = { tenant: '', taskId: 't', id: 'p1' };
    expect(await client.createTaskPushNotificationConfig(config)).toEqual(config);
    expect(await client.getTaskPushNotificationConfig(ref)).toEqual(config);
    const list = await client.listTaskPushNotificationConfig({
      tenant: '',
      taskId: 't',
      pageSize: 0,
      pageToken: '',
    });
    expect(list).toEqual({ configs: [config], nextPageToken: '' });
    await client.deleteTaskPushNotificationConfig(ref);
    expect(calls.map(({ request }) => request)).toEqual([
      pushConfig,
      { taskId: 't', id: 'p1' },
      { taskId: 't' },
      { taskId: 't', id: 'p1' },
    ]);
  });

  it('reads the extended card', async () => {
    const { client } = await setUp();
    const read = await client.getExtendedAgentCard({ tenant: '' });
    expect(read).toMatchObject({ name: 'agent', capabilities: { streaming: true, extendedAgentCard: true } });
    expect(read.skills).toEqual(SdkCard.fromJSON(card as never).skills);
  });

  it('reads errors, also where a stream was asked for', async () => {
    const error = new A2AError('task-not-found', 'Task not found: t', { metadata: { taskId: 't' } });
    const { client } = await setUp({ GetTask: error, SubscribeToTask: error });
    const expected = { name: 'TaskNotFoundError', message: 'Task not found: t' };
    await expect(client.getTask({ tenant: '', id: 't' })).rejects.toMatchObject(expected);
    await expect(collect(client.resubscribeTask({ tenant: '', id: 't' }))).rejects.toMatchObject(expected);
  });

  it(name === '1.0' ? 'lists tasks' : 'cannot list tasks', async () => {
    const { client, calls } = await setUp();
    const params = {
      tenant: '',
      contextId: 'c',
      status: 2,
      pageSize: 10,
      pageToken: '',
      statusTimestampAfter: undefined,
    };
    const listing = client.listTasks({ ...params, historyLength: undefined, includeArtifacts: true });
    if (name !== '1.0') return expect(listing).rejects.toThrow(/Method not found/);
    const page = await listing;
    expect(page.tasks.map(task)).toEqual([completedTask]);
    expect(page).toMatchObject({ nextPageToken: 'n', pageSize: 50, totalSize: 2 });
    expect(calls[0]?.request).toEqual({
      contextId: 'c',
      status: 'TASK_STATE_WORKING',
      pageSize: 10,
      includeArtifacts: true,
    });
  });
});

describe('SDK 0.3.14', () => {
  const setUp = (more: object = {}) => {
    const server = tinyServer(codec0_3({ full: true }), { ...answers, ...more });
    return {
      client: new Transport0_3({ endpoint: 'http://h', fetchImpl: server.fetch }),
      calls: server.calls,
    };
  };
  const message = {
    kind: 'message',
    messageId: 'm',
    role: 'user',
    parts: [{ kind: 'text', text: 'hi' }],
  } as const;

  it('sends, streams, gets and cancels', async () => {
    const { client, calls } = setUp();
    const task = await client.sendMessage({
      message: { ...message, parts: [...message.parts] },
      configuration: { blocking: false },
    });
    expect(task).toMatchObject({
      kind: 'task',
      status: { state: 'completed', message: { kind: 'message', role: 'agent' } },
    });
    const stream = await collect(
      client.sendMessageStream({ message: { ...message, parts: [...message.parts] } }),
    );
    expect(stream.map(({ kind }) => kind)).toEqual([
      'task',
      'status-update',
      'artifact-update',
      'artifact-update',
      'status-update',
    ]);
    expect(stream.at(-1)).toMatchObject({ final: true });
    expect(await client.getTask({ id: 't', historyLength: 1 })).toEqual(task);
    expect(await client.cancelTask({ id: 't' })).toEqual(task);
    expect(await collect(client.resubscribeTask({ id: 't' }))).toEqual(stream);
    const model = { messageId: 'm', role: 'ROLE_USER', parts: [{ text: 'hi' }] };
    expect(calls.map(({ request }) => request)).toEqual([
      { message: model, configuration: { returnImmediately: true } },
      { message: model },
      { id: 't', historyLength: 1 },
      { id: 't' },
      { id: 't' },
    ]);
  });

  it('manages push configurations and reads the card', async () => {
    const { client } = setUp();
    const nested = await client.getTaskPushNotificationConfig({ id: 't' });
    expect(nested).toMatchObject({
      taskId: 't',
      pushNotificationConfig: { id: 'p1', authentication: { schemes: ['Bearer'] } },
    });
    expect(await client.setTaskPushNotificationConfig(nested)).toEqual(nested);
    expect(await client.listTaskPushNotificationConfig({ id: 't' })).toEqual([nested]);
    await expect(
      client.deleteTaskPushNotificationConfig({ id: 't', pushNotificationConfigId: 'p1' }),
    ).resolves.toBeUndefined();
    expect(await client.getExtendedAgentCard()).toMatchObject({
      protocolVersion: '0.3.0',
      url: 'https://h/a2a/as1/v03',
    });
  });

  it('reads errors', async () => {
    const { client } = setUp({ GetTask: new A2AError('task-not-found') });
    await expect(client.getTask({ id: 't' })).rejects.toMatchObject({
      errorResponse: { error: { code: -32001 } },
    });
    const core = new Transport0_3({ endpoint: 'http://h', fetchImpl: tinyServer(codec0_3(), answers).fetch });
    await expect(core.getExtendedAgentCard()).rejects.toMatchObject({
      errorResponse: { error: { code: -32601 } },
    });
  });
});

it('the script of the documented server finds its text', async () => {
  const server = tinyServer(codec0_3(), answers);
  const body = {
    jsonrpc: '2.0',
    id: 'u',
    method: 'message/send',
    params: { message: { role: 'user', parts: [{ kind: 'text', text: 'x' }], messageId: 'm' } },
  };
  const response = await server.fetch('http://h', { method: 'POST', body: JSON.stringify(body) });
  const { result } = (await response.json()) as {
    result: { contextId: string; artifacts: { parts: { kind: string; text?: string }[] }[] };
  };
  expect(result.contextId).toBe('c');
  expect(result.artifacts.flatMap(({ parts }) => parts).find(({ kind }) => kind === 'text')?.text).toBe(
    'Hello',
  );
});
