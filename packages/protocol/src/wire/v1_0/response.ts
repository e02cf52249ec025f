/** The model is what A2A 1.0 sends: only empty optional lists are dropped, and objects without one go out as they are. */

import type {
  Artifact,
  JsonValue,
  ListTaskPushNotificationConfigsResponse,
  ListTasksResponse,
  Message,
  SendMessageResponse,
  StreamResponse,
  Task,
  TaskPushNotificationConfig,
  TaskStatus,
} from '../../model.ts';
import { asJson, dropEmpty, mapShared, replace } from '../share.ts';

const trimMessage = (message: Message): Message => dropEmpty(message, ['extensions', 'referenceTaskIds']);
const trimArtifact = (artifact: Artifact): Artifact => dropEmpty(artifact, ['extensions']);

function trimStatus(status: TaskStatus): TaskStatus {
  return status.message === undefined ? status : replace(status, 'message', trimMessage(status.message));
}

function trimTask(task: Task): Task {
  let result = replace(dropEmpty(task, ['artifacts', 'history']), 'status', trimStatus(task.status));
  if (result.artifacts !== undefined) {
    result = replace(result, 'artifacts', mapShared(result.artifacts, trimArtifact));
  }
  if (result.history !== undefined)
    result = replace(result, 'history', mapShared(result.history, trimMessage));
  return result;
}

export function encodeTask(task: Task): JsonValue {
  return asJson(trimTask(task));
}

export function encodeEvent(event: StreamResponse): JsonValue {
  if ('task' in event) return asJson({ task: trimTask(event.task) });
  if ('message' in event) return asJson({ message: trimMessage(event.message) });
  if ('statusUpdate' in event) {
    return asJson({
      statusUpdate: replace(event.statusUpdate, 'status', trimStatus(event.statusUpdate.status)),
    });
  }
  return asJson({
    artifactUpdate: replace(event.artifactUpdate, 'artifact', trimArtifact(event.artifactUpdate.artifact)),
  });
}

export function encodeSendMessage(response: SendMessageResponse): JsonValue {
  return encodeEvent(response);
}

/** All four fields, always: the one answer whose empty values are required (section 3.1.4). */
export function encodeListTasks({ tasks, nextPageToken, pageSize, totalSize }: ListTasksResponse): JsonValue {
  return asJson({ tasks: tasks.map(trimTask), nextPageToken, pageSize, totalSize });
}

export function encodePushConfig(config: TaskPushNotificationConfig): JsonValue {
  return asJson(config);
}

export function encodePushConfigs({
  configs,
  nextPageToken,
}: ListTaskPushNotificationConfigsResponse): JsonValue {
  return asJson(nextPageToken ? { configs, nextPageToken } : { configs });
}
