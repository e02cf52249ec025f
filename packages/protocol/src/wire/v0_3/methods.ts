/** The JSON-RPC methods of A2A 0.3 (section 7). */

import type {
  CancelTaskRequest,
  CreateTaskPushNotificationConfigRequest,
  DeleteTaskPushNotificationConfigRequest,
  GetTaskPushNotificationConfigRequest,
  GetTaskRequest,
  StreamResponse,
  SubscribeToTaskRequest,
} from '../../model.ts';
import { endsStream } from '../../task-state.ts';
import { DEFAULT_DECODE_LIMITS, type Method, methodTable } from '../codec.ts';
import {
  assign,
  type Cursor,
  enter,
  fault,
  readObject,
  readParams,
  readString,
  readValue,
  requireString,
} from '../reader.ts';
import { readHistory } from '../request-fields.ts';
import { encodeCard } from './card.ts';
import { readPushConfig, readSendMessage } from './request.ts';
import {
  encodeEvent,
  encodePushConfig,
  encodePushConfigs,
  encodeSendMessage,
  encodeTask,
} from './response.ts';

function readTaskRef(at: Cursor): SubscribeToTaskRequest | undefined {
  const id = requireString(at, 'id');
  return id === undefined ? undefined : { id };
}

function readGetTask(at: Cursor): GetTaskRequest | undefined {
  const ref = readTaskRef(at);
  const history = readHistory(at);
  return ref && { ...ref, ...history };
}

function readCancelTask(at: Cursor): CancelTaskRequest | undefined {
  const ref = readTaskRef(at);
  const metadata = readObject(at, 'metadata');
  return ref && assign<CancelTaskRequest>(ref, { metadata });
}

function readSetPush(at: Cursor): CreateTaskPushNotificationConfigRequest | undefined {
  const taskId = requireString(at, 'taskId');
  const within = enter(at, 'pushNotificationConfig');
  if (within === undefined && readValue(at, 'pushNotificationConfig') === undefined) {
    fault(at, 'pushNotificationConfig', 'A configuration is required');
  }
  const config = within && readPushConfig(within);
  return taskId === undefined || config === undefined ? undefined : { ...config, taskId };
}

function readGetPush(at: Cursor): GetTaskPushNotificationConfigRequest | undefined {
  const taskId = requireString(at, 'id');
  const id = readString(at, 'pushNotificationConfigId');
  return taskId === undefined ? undefined : assign<GetTaskPushNotificationConfigRequest>({ taskId }, { id });
}

function readDeletePush(at: Cursor): DeleteTaskPushNotificationConfigRequest | undefined {
  const taskId = requireString(at, 'id');
  const id = requireString(at, 'pushNotificationConfigId');
  return taskId === undefined || id === undefined ? undefined : { taskId, id };
}

function readListPush(at: Cursor): { taskId: string } | undefined {
  const taskId = requireString(at, 'id');
  return taskId === undefined ? undefined : { taskId };
}

const encodeStreamed = (event: StreamResponse) =>
  encodeEvent(event, { final: 'statusUpdate' in event && endsStream(event.statusUpdate.status.state) });

const core: { [name: string]: Method } = {
  'message/send': {
    operation: 'SendMessage',
    streams: false,
    decode: (params, limits = DEFAULT_DECODE_LIMITS) =>
      readParams(params, (at) => readSendMessage(at, limits, false)),
    encode: encodeSendMessage,
  },
  'message/stream': {
    operation: 'SendStreamingMessage',
    streams: true,
    decode: (params, limits = DEFAULT_DECODE_LIMITS) =>
      readParams(params, (at) => readSendMessage(at, limits, true)),
    encode: encodeStreamed,
  },
  'tasks/get': {
    operation: 'GetTask',
    streams: false,
    decode: (params) => readParams(params, readGetTask),
    encode: encodeTask,
  },
  'tasks/cancel': {
    operation: 'CancelTask',
    streams: false,
    decode: (params) => readParams(params, readCancelTask),
    encode: encodeTask,
  },
};

const more: { [name: string]: Method } = {
  'tasks/resubscribe': {
    operation: 'SubscribeToTask',
    streams: true,
    decode: (params) => readParams(params, readTaskRef),
    encode: encodeStreamed,
  },
  'tasks/pushNotificationConfig/set': {
    operation: 'CreateTaskPushNotificationConfig',
    streams: false,
    decode: (params) => readParams(params, readSetPush),
    encode: encodePushConfig,
  },
  'tasks/pushNotificationConfig/get': {
    operation: 'GetTaskPushNotificationConfig',
    streams: false,
    decode: (params) => readParams(params, readGetPush),
    encode: encodePushConfig,
  },
  'tasks/pushNotificationConfig/list': {
    operation: 'ListTaskPushNotificationConfigs',
    streams: false,
    decode: (params) => readParams(params, readListPush),
    encode: encodePushConfigs,
  },
  'tasks/pushNotificationConfig/delete': {
    operation: 'DeleteTaskPushNotificationConfig',
    streams: false,
    decode: (params) => readParams(params, readDeletePush),
    encode: () => null,
  },
  'agent/getAuthenticatedExtendedCard': {
    operation: 'GetExtendedAgentCard',
    streams: false,
    decode: (params) => readParams(params, () => ({})),
    encode: encodeCard,
  },
};

/** What the documented server accepts. */
export const coreMethods: ReadonlyMap<string, Method> = methodTable(core);
export const fullMethods: ReadonlyMap<string, Method> = methodTable({ ...core, ...more });
