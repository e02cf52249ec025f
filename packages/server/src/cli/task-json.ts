import { type ListTasksResponse, Message, type SendMessageResult, StreamResponse, Task } from '@a2a-js/sdk';
import type * as model from '@parley/protocol';

/** The client's objects as the JSON of A2A 1.0, which is what the CLI prints and reads. */

export function taskOf(task: Task): model.Task {
  return Task.toJSON(task) as model.Task;
}

export function eventOf(event: StreamResponse): model.StreamResponse {
  return StreamResponse.toJSON(event) as model.StreamResponse;
}

export function resultOf(result: SendMessageResult): model.SendMessageResponse {
  return 'messageId' in result
    ? { message: Message.toJSON(result) as model.Message }
    : { task: taskOf(result) };
}

/** All four members, also where they are empty (A2A 1.0, section 3.1.4). */
export function listOf({
  tasks,
  nextPageToken,
  pageSize,
  totalSize,
}: ListTasksResponse): model.ListTasksResponse {
  return { tasks: tasks.map(taskOf), nextPageToken, pageSize, totalSize };
}
