import {
  CancelTaskRequest,
  GetTaskRequest,
  ListTasksRequest,
  SendMessageRequest,
  StreamResponse,
  SubscribeToTaskRequest,
  Task as TaskCodec,
} from '@a2a-js/sdk';
import { type Client, ClientFactory } from '@a2a-js/sdk/client';
import type { MessageSendParams, Part as PartV0_3, Task as TaskV0_3 } from 'a2a-sdk-v0_3';
import { ClientFactory as ClientFactoryV0_3, type Client as ClientV0_3 } from 'a2a-sdk-v0_3/client';

/** A part as the stories write it; each client says it in its own version. */
export type StoryPart =
  | { text: string }
  | { data: object }
  | { bytes: string; name: string; mimeType: string }
  | { uri: string; name: string; mimeType: string };

export interface StoryTask {
  id: string;
  contextId: string;
  state: string;
  artifacts: { name: string | undefined; parts: StoryPart[] }[];
  history: { role: string; taskId: string | undefined; text: string }[];
  question: string;
}

export type StoryEvent =
  | { kind: 'task'; task: StoryTask }
  | { kind: 'status'; state: string }
  | { kind: 'artifact'; artifactId: string; text: string; append: boolean; lastChunk: boolean };

export interface StoryMessage {
  parts: StoryPart[];
  contextId?: string;
  taskId?: string;
  immediate?: boolean;
  /** Sent as the header, which both clients can. */
  historyScope?: 'context' | 'task';
  signal?: AbortSignal;
}

/** What the official clients of both versions can do, under one set of names. */
export interface StoryClient {
  send(message: StoryMessage): Promise<StoryTask>;
  stream(message: StoryMessage): AsyncGenerator<StoryEvent>;
  get(
    id: string,
    options?: { historyLength?: number; historyScope?: 'context' | 'task' },
  ): Promise<StoryTask>;
  cancel(id: string): Promise<StoryTask>;
  subscribe(id: string): AsyncGenerator<StoryEvent>;
  /** `undefined`: this version has no such method. */
  list?(options: {
    contextId?: string;
    pageSize?: number;
    pageToken?: string;
  }): Promise<{ ids: string[]; next: string; total: number }>;
}

const scopeHeaders = (scope: string | undefined): { serviceParameters?: Record<string, string> } =>
  scope === undefined ? {} : { serviceParameters: { 'LangGraph-A2A-History-Scope': scope } };

let counter = 0;
const nextMessageId = (): string => `story-${++counter}`;

/** `endpoint` is the URL of an assistant. */
export async function connectV1_0(endpoint: string): Promise<StoryClient> {
  const client: Client = await new ClientFactory().createFromUrl(
    `${endpoint}/.well-known/agent-card.json`,
    '',
  );
  const request = (message: StoryMessage): SendMessageRequest =>
    SendMessageRequest.fromJSON({
      message: {
        messageId: nextMessageId(),
        role: 'ROLE_USER',
        parts: message.parts.map((part) => {
          if ('bytes' in part) return { raw: part.bytes, filename: part.name, mediaType: part.mimeType };
          if ('uri' in part) return { url: part.uri, filename: part.name, mediaType: part.mimeType };
          return part;
        }),
        contextId: message.contextId,
        taskId: message.taskId,
      },
      configuration: { returnImmediately: message.immediate === true },
    });
  return {
    send: async (message) => {
      const result = await client.sendMessage(request(message), {
        ...scopeHeaders(message.historyScope),
        ...signal(message),
      });
      return taskOfV1_0(result as TaskCodec);
    },
    stream: (message) => eventsOfV1_0(client.sendMessageStream(request(message), signal(message))),
    get: async (id, options = {}) =>
      taskOfV1_0(
        await client.getTask(
          GetTaskRequest.fromJSON({ id, historyLength: options.historyLength }),
          scopeHeaders(options.historyScope),
        ),
      ),
    cancel: async (id) => taskOfV1_0(await client.cancelTask(CancelTaskRequest.fromJSON({ id }))),
    subscribe: (id) => eventsOfV1_0(client.resubscribeTask(SubscribeToTaskRequest.fromJSON({ id }))),
    list: async (options) => {
      const page = await client.listTasks(ListTasksRequest.fromJSON(options));
      return { ids: page.tasks.map(({ id }) => id), next: page.nextPageToken, total: page.totalSize };
    },
  };
}

function signal(message: StoryMessage): { signal?: AbortSignal } {
  return message.signal ? { signal: message.signal } : {};
}

async function* eventsOfV1_0(events: AsyncIterable<StreamResponse>): AsyncGenerator<StoryEvent> {
  for await (const event of events) {
    const json = StreamResponse.toJSON(event) as { [key: string]: unknown };
    if (event.payload?.$case === 'task') yield { kind: 'task', task: taskOfV1_0(event.payload.value) };
    else if (event.payload?.$case === 'statusUpdate') {
      const { status } = json.statusUpdate as { status: { state: string } };
      yield { kind: 'status', state: plainState(status.state) };
    } else if (event.payload?.$case === 'artifactUpdate') {
      const { artifact, append, lastChunk } = event.payload.value;
      const text = (artifact?.parts ?? [])
        .map((part) => (part.content?.$case === 'text' ? part.content.value : ''))
        .join('');
      yield { kind: 'artifact', artifactId: artifact?.artifactId ?? '', text, append, lastChunk };
    } else throw new Error(`unexpected event ${JSON.stringify(json)}`);
  }
}

interface JsonPart {
  text?: string;
  data?: object;
  raw?: string;
  url?: string;
  filename?: string;
  mediaType?: string;
}

function taskOfV1_0(task: TaskCodec): StoryTask {
  const json = TaskCodec.toJSON(task) as {
    id: string;
    contextId: string;
    status: { state: string; message?: { parts: JsonPart[] } };
    artifacts?: { name?: string; parts: JsonPart[] }[];
    history?: { role: string; taskId?: string; parts: JsonPart[] }[];
  };
  const parts = (list: JsonPart[]): StoryPart[] =>
    list.map((part) => {
      if (part.text !== undefined) return { text: part.text };
      if (part.raw !== undefined)
        return { bytes: part.raw, name: part.filename ?? '', mimeType: part.mediaType ?? '' };
      if (part.url !== undefined)
        return { uri: part.url, name: part.filename ?? '', mimeType: part.mediaType ?? '' };
      return { data: part.data ?? {} };
    });
  return {
    id: json.id,
    contextId: json.contextId,
    state: plainState(json.status.state),
    artifacts: (json.artifacts ?? []).map(({ name, parts: list }) => ({ name, parts: parts(list) })),
    history: (json.history ?? []).map(({ role, taskId, parts: list }) => ({
      role: role === 'ROLE_USER' ? 'user' : 'agent',
      taskId,
      text: textOf(parts(list)),
    })),
    question: textOf(parts(json.status.message?.parts ?? [])),
  };
}

/** `TASK_STATE_INPUT_REQUIRED` -> `input-required`. */
function plainState(state: string): string {
  return state.replace('TASK_STATE_', '').toLowerCase().replaceAll('_', '-');
}

export function textOf(parts: readonly StoryPart[]): string {
  return parts.map((part) => ('text' in part ? part.text : '')).join('');
}

export async function connectV0_3(endpoint: string): Promise<StoryClient> {
  const client: ClientV0_3 = await new ClientFactoryV0_3().createFromUrl(
    `${endpoint}/.well-known/agent-card.json`,
    '',
  );
  const request = (message: StoryMessage): MessageSendParams => ({
    message: {
      kind: 'message',
      messageId: nextMessageId(),
      role: 'user',
      parts: message.parts.map((part): PartV0_3 => {
        if ('text' in part) return { kind: 'text', text: part.text };
        if ('data' in part) return { kind: 'data', data: part.data as { [key: string]: unknown } };
        const { name, mimeType } = part;
        return {
          kind: 'file',
          file: 'bytes' in part ? { bytes: part.bytes, name, mimeType } : { uri: part.uri, name, mimeType },
        };
      }),
      ...(message.contextId === undefined ? {} : { contextId: message.contextId }),
      ...(message.taskId === undefined ? {} : { taskId: message.taskId }),
    },
    configuration: { blocking: message.immediate !== true },
  });
  return {
    send: async (message) =>
      taskOfV0_3(
        (await client.sendMessage(request(message), {
          ...scopeHeaders(message.historyScope),
          ...signal(message),
        })) as TaskV0_3,
      ),
    stream: (message) => eventsOfV0_3(client.sendMessageStream(request(message), signal(message))),
    get: async (id, options = {}) =>
      taskOfV0_3(
        await client.getTask(
          { id, ...(options.historyLength === undefined ? {} : { historyLength: options.historyLength }) },
          scopeHeaders(options.historyScope),
        ),
      ),
    cancel: async (id) => taskOfV0_3(await client.cancelTask({ id })),
    subscribe: (id) => eventsOfV0_3(client.resubscribeTask({ id })),
  };
}

async function* eventsOfV0_3(
  events: ReturnType<ClientV0_3['sendMessageStream']>,
): AsyncGenerator<StoryEvent> {
  for await (const event of events) {
    if (event.kind === 'task') yield { kind: 'task', task: taskOfV0_3(event) };
    else if (event.kind === 'status-update') yield { kind: 'status', state: event.status.state };
    else if (event.kind === 'artifact-update') {
      const text = textOf(event.artifact.parts.map(partOfV0_3));
      const { artifactId } = event.artifact;
      yield {
        kind: 'artifact',
        artifactId,
        text,
        append: event.append === true,
        lastChunk: event.lastChunk === true,
      };
    } else throw new Error(`unexpected event ${JSON.stringify(event)}`);
  }
}

function partOfV0_3(part: PartV0_3): StoryPart {
  if (part.kind === 'text') return { text: part.text };
  if (part.kind === 'data') return { data: part.data };
  const { name = '', mimeType = '' } = part.file;
  return 'bytes' in part.file
    ? { bytes: part.file.bytes, name, mimeType }
    : { uri: part.file.uri, name, mimeType };
}

function taskOfV0_3(task: TaskV0_3): StoryTask {
  return {
    id: task.id,
    contextId: task.contextId,
    state: task.status.state,
    artifacts: (task.artifacts ?? []).map(({ name, parts }) => ({ name, parts: parts.map(partOfV0_3) })),
    history: (task.history ?? []).map(({ role, taskId, parts }) => ({
      role,
      taskId,
      text: textOf(parts.map(partOfV0_3)),
    })),
    question: textOf((task.status.message?.parts ?? []).map(partOfV0_3)),
  };
}
