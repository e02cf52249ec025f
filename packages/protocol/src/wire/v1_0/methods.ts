/** The JSON-RPC methods of A2A 1.0 (section 9.4). */

import type {
  CancelTaskRequest,
  CreateTaskPushNotificationConfigRequest,
  DeleteTaskPushNotificationConfigRequest,
  GetExtendedAgentCardRequest,
  GetTaskRequest,
  ListTaskPushNotificationConfigsRequest,
  ListTasksRequest,
  SubscribeToTaskRequest,
} from '../../model.ts';
import { formatTimestamp, parseTimestamp } from '../../timestamp.ts';
import { DEFAULT_DECODE_LIMITS, type Method, methodTable } from '../codec.ts';
import {
  assign,
  type Cursor,
  fault,
  readBoolean,
  readInteger,
  readObject,
  readParams,
  readString,
  requireString,
} from '../reader.ts';
import { readHistory } from '../request-fields.ts';
import { encodeCard } from './card.ts';
import { readPushConfig, readSendMessage, readTaskState } from './request.ts';
import {
  encodeEvent,
  encodeListTasks,
  encodePushConfig,
  encodePushConfigs,
  encodeSendMessage,
  encodeTask,
} from './response.ts';

const readTenant = (at: Cursor) => ({ tenant: readString(at, 'tenant') });

function readTaskRef(at: Cursor): SubscribeToTaskRequest | undefined {
  const id = requireString(at, 'id');
  const tenant = readTenant(at);
  return id === undefined ? undefined : assign<SubscribeToTaskRequest>({ id }, tenant);
}

function readGetTask(at: Cursor): GetTaskRequest | undefined {
  const ref = readTaskRef(at);
  const history = readHistory(at);
  return ref && { ...ref, ...history };
}

/** Normalised, so that stores compare text. */
function readTime(at: Cursor, field: string): string | undefined {
  const text = readString(at, field);
  if (text === undefined) return undefined;
  const time = parseTimestamp(text);
  return time === undefined ? fault(at, field, 'Must be an RFC 3339 timestamp') : formatTimestamp(time);
}

function readListTasks(at: Cursor): ListTasksRequest {
  return assign<ListTasksRequest>(readHistory(at), {
    ...readTenant(at),
    contextId: readString(at, 'contextId'),
    status: readTaskState(at, 'status'),
    pageSize: readInteger(at, 'pageSize', 1, 100),
    pageToken: readString(at, 'pageToken'),
    statusTimestampAfter: readTime(at, 'statusTimestampAfter'),
    includeArtifacts: readBoolean(at, 'includeArtifacts'),
  });
}

function readCancelTask(at: Cursor): CancelTaskRequest | undefined {
  const ref = readTaskRef(at);
  const metadata = readObject(at, 'metadata');
  return ref && assign<CancelTaskRequest>(ref, { metadata });
}

function readCreatePush(at: Cursor): CreateTaskPushNotificationConfigRequest | undefined {
  const taskId = requireString(at, 'taskId');
  const config = readPushConfig(at);
  const tenant = readTenant(at);
  return taskId === undefined || config === undefined
    ? undefined
    : assign<CreateTaskPushNotificationConfigRequest>({ ...config, taskId }, tenant);
}

function readPushRef(at: Cursor): DeleteTaskPushNotificationConfigRequest | undefined {
  const taskId = requireString(at, 'taskId');
  const id = requireString(at, 'id');
  const tenant = readTenant(at);
  return taskId === undefined || id === undefined
    ? undefined
    : assign<DeleteTaskPushNotificationConfigRequest>({ taskId, id }, tenant);
}

/** Paging is optional here (section 3.1.9): a size is a wish, never an error. */
function readListPush(at: Cursor): ListTaskPushNotificationConfigsRequest | undefined {
  const taskId = requireString(at, 'taskId');
  const optional = {
    ...readTenant(at),
    pageSize: readInteger(at, 'pageSize', 0) || undefined,
    pageToken: readString(at, 'pageToken'),
  };
  return taskId === undefined
    ? undefined
    : assign<ListTaskPushNotificationConfigsRequest>({ taskId }, optional);
}

export const methods: ReadonlyMap<string, Method> = methodTable({
  SendMessage: {
    operation: 'SendMessage',
    streams: false,
    decode: (params, limits = DEFAULT_DECODE_LIMITS) =>
      readParams(params, (at) => readSendMessage(at, limits, false)),
    encode: encodeSendMessage,
  },
  SendStreamingMessage: {
    operation: 'SendStreamingMessage',
    streams: true,
    decode: (params, limits = DEFAULT_DECODE_LIMITS) =>
      readParams(params, (at) => readSendMessage(at, limits, true)),
    encode: encodeEvent,
  },
  GetTask: {
    operation: 'GetTask',
    streams: false,
    decode: (params) => readParams(params, readGetTask),
    encode: encodeTask,
  },
  ListTasks: {
    operation: 'ListTasks',
    streams: false,
    decode: (params) => readParams(params, readListTasks),
    encode: encodeListTasks,
  },
  CancelTask: {
    operation: 'CancelTask',
    streams: false,
    decode: (params) => readParams(params, readCancelTask),
    encode: encodeTask,
  },
  SubscribeToTask: {
    operation: 'SubscribeToTask',
    streams: true,
    decode: (params) => readParams(params, readTaskRef),
    encode: encodeEvent,
  },
  GetExtendedAgentCard: {
    operation: 'GetExtendedAgentCard',
    streams: false,
    decode: (params) => readParams(params, (at) => assign<GetExtendedAgentCardRequest>({}, readTenant(at))),
    encode: encodeCard,
  },
  CreateTaskPushNotificationConfig: {
    operation: 'CreateTaskPushNotificationConfig',
    streams: false,
    decode: (params) => readParams(params, readCreatePush),
    encode: encodePushConfig,
  },
  GetTaskPushNotificationConfig: {
    operation: 'GetTaskPushNotificationConfig',
    streams: false,
    decode: (params) => readParams(params, readPushRef),
    encode: encodePushConfig,
  },
  ListTaskPushNotificationConfigs: {
    operation: 'ListTaskPushNotificationConfigs',
    streams: false,
    decode: (params) => readParams(params, readListPush),
    encode: encodePushConfigs,
  },
  DeleteTaskPushNotificationConfig: {
    operation: 'DeleteTaskPushNotificationConfig',
    streams: false,
    decode: (params) => readParams(params, readPushRef),
    encode: () => null,
  },
});
