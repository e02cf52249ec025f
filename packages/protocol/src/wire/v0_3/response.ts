/** The model to A2A 0.3: `kind` everywhere, states and roles in lower case. */

import type {
  Artifact,
  JsonObject,
  JsonValue,
  ListTaskPushNotificationConfigsResponse,
  Message,
  Part,
  SendMessageResponse,
  StreamResponse,
  Task,
  TaskPushNotificationConfig,
  TaskState,
  TaskStatus,
} from '../../model.ts';
import type { EventOptions } from '../codec.ts';
import { encodeDataPart } from './data-part.ts';

const STATES: Readonly<Record<TaskState, string>> = {
  TASK_STATE_SUBMITTED: 'submitted',
  TASK_STATE_WORKING: 'working',
  TASK_STATE_COMPLETED: 'completed',
  TASK_STATE_FAILED: 'failed',
  TASK_STATE_CANCELED: 'canceled',
  TASK_STATE_INPUT_REQUIRED: 'input-required',
  TASK_STATE_REJECTED: 'rejected',
  TASK_STATE_AUTH_REQUIRED: 'auth-required',
};

/** Entries that are there and, if lists, not empty. */
function present(fields: { [key: string]: JsonValue | undefined }): JsonObject {
  const result: JsonObject = {};
  for (const [key, value] of Object.entries(fields)) {
    if (value !== undefined && !(Array.isArray(value) && value.length === 0)) result[key] = value;
  }
  return result;
}

function encodePart(part: Part): JsonObject {
  if ('data' in part) return encodeDataPart(part);
  const { metadata, mediaType: mimeType, filename: name } = part;
  if ('text' in part) return { kind: 'text', text: part.text, ...present({ metadata }) };
  const content = 'raw' in part ? { bytes: part.raw } : { uri: part.url };
  return { kind: 'file', file: { ...content, ...present({ mimeType, name }) }, ...present({ metadata }) };
}

function encodeMessage(message: Message): JsonObject {
  const { messageId, role, parts, contextId, taskId, metadata, extensions, referenceTaskIds } = message;
  return {
    kind: 'message',
    messageId,
    role: role === 'ROLE_USER' ? 'user' : 'agent',
    parts: parts.map(encodePart),
    ...present({ contextId, taskId, metadata, extensions, referenceTaskIds }),
  };
}

function encodeArtifact({
  artifactId,
  name,
  description,
  parts,
  metadata,
  extensions,
}: Artifact): JsonObject {
  return {
    artifactId,
    parts: parts.map(encodePart),
    ...present({ name, description, metadata, extensions }),
  };
}

function encodeStatus({ state, message, timestamp }: TaskStatus): JsonObject {
  return { state: STATES[state], ...present({ message: message && encodeMessage(message), timestamp }) };
}

export function encodeTask({ id, contextId, status, artifacts, history, metadata }: Task): JsonObject {
  return {
    kind: 'task',
    id,
    contextId,
    status: encodeStatus(status),
    ...present({ artifacts: artifacts?.map(encodeArtifact), history: history?.map(encodeMessage), metadata }),
  };
}

export function encodeEvent(event: StreamResponse, { final }: EventOptions): JsonObject {
  if ('task' in event) return encodeTask(event.task);
  if ('message' in event) return encodeMessage(event.message);
  if ('statusUpdate' in event) {
    const { taskId, contextId, status, metadata } = event.statusUpdate;
    return {
      kind: 'status-update',
      taskId,
      contextId,
      status: encodeStatus(status),
      final,
      ...present({ metadata }),
    };
  }
  const { taskId, contextId, artifact, append = false, lastChunk = false, metadata } = event.artifactUpdate;
  return {
    kind: 'artifact-update',
    taskId,
    contextId,
    artifact: encodeArtifact(artifact),
    append,
    lastChunk,
    ...present({ metadata }),
  };
}

/** Bare, as every result of 0.3. */
export function encodeSendMessage(response: SendMessageResponse): JsonObject {
  return 'task' in response ? encodeTask(response.task) : encodeMessage(response.message);
}

export function encodePushConfig(config: TaskPushNotificationConfig): JsonObject {
  const { taskId = '', id, url, token, authentication } = config;
  const scheme = authentication && {
    schemes: [authentication.scheme],
    ...present({ credentials: authentication.credentials }),
  };
  return { taskId, pushNotificationConfig: { url, ...present({ id, token, authentication: scheme }) } };
}

export function encodePushConfigs({ configs }: ListTaskPushNotificationConfigsResponse): JsonValue {
  return configs.map(encodePushConfig);
}
