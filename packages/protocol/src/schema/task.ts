/** Strict schemas of what goes out over A2A 1.0: a key that the proto does not have is refused. */

import { z } from 'zod';
import {
  type Artifact,
  type JsonObject,
  type JsonValue,
  type ListTasksResponse,
  type Message,
  type Part,
  type SendMessageResponse,
  type StreamResponse,
  TASK_STATES,
  type Task,
  type TaskArtifactUpdateEvent,
  type TaskPushNotificationConfig,
  type TaskState,
  type TaskStatus,
  type TaskStatusUpdateEvent,
} from '../model.ts';

const id = z.string().min(1);

/** A list that is left out when it is empty. */
const listOf = <T>(item: z.ZodType<T>): z.ZodType<T[]> => z.array(item).min(1);

export const jsonValueSchema: z.ZodType<JsonValue> = z.json();
export const jsonObjectSchema: z.ZodType<JsonObject> = z.record(z.string(), jsonValueSchema);

export const taskStateSchema: z.ZodType<TaskState> = z.enum(TASK_STATES);

export const timestampSchema: z.ZodType<string> = z
  .string()
  .regex(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);

const partFields = {
  metadata: jsonObjectSchema.exactOptional(),
  filename: z.string().min(1).exactOptional(),
  mediaType: z.string().min(1).exactOptional(),
};

export const partSchema: z.ZodType<Part> = z.union([
  z.strictObject({ ...partFields, text: z.string() }),
  z.strictObject({ ...partFields, raw: z.base64() }),
  z.strictObject({ ...partFields, url: z.string().min(1) }),
  z.strictObject({ ...partFields, data: jsonValueSchema }),
]);

export const messageSchema: z.ZodType<Message> = z.strictObject({
  messageId: id,
  contextId: id.exactOptional(),
  taskId: id.exactOptional(),
  role: z.enum(['ROLE_USER', 'ROLE_AGENT']),
  parts: listOf(partSchema),
  metadata: jsonObjectSchema.exactOptional(),
  extensions: listOf(z.string()).exactOptional(),
  referenceTaskIds: listOf(z.string()).exactOptional(),
});

export const artifactSchema: z.ZodType<Artifact> = z.strictObject({
  artifactId: id,
  name: z.string().exactOptional(),
  description: z.string().exactOptional(),
  parts: listOf(partSchema),
  metadata: jsonObjectSchema.exactOptional(),
  extensions: listOf(z.string()).exactOptional(),
});

export const taskStatusSchema: z.ZodType<TaskStatus> = z.strictObject({
  state: taskStateSchema,
  message: messageSchema.exactOptional(),
  timestamp: timestampSchema.exactOptional(),
});

export const taskSchema: z.ZodType<Task> = z.strictObject({
  id,
  contextId: id,
  status: taskStatusSchema,
  artifacts: listOf(artifactSchema).exactOptional(),
  history: listOf(messageSchema).exactOptional(),
  metadata: jsonObjectSchema.exactOptional(),
});

export const statusUpdateSchema: z.ZodType<TaskStatusUpdateEvent> = z.strictObject({
  taskId: id,
  contextId: id,
  status: taskStatusSchema,
  metadata: jsonObjectSchema.exactOptional(),
});

export const artifactUpdateSchema: z.ZodType<TaskArtifactUpdateEvent> = z.strictObject({
  taskId: id,
  contextId: id,
  artifact: artifactSchema,
  append: z.boolean().exactOptional(),
  lastChunk: z.boolean().exactOptional(),
  metadata: jsonObjectSchema.exactOptional(),
});

export const streamResponseSchema: z.ZodType<StreamResponse> = z.union([
  z.strictObject({ task: taskSchema }),
  z.strictObject({ message: messageSchema }),
  z.strictObject({ statusUpdate: statusUpdateSchema }),
  z.strictObject({ artifactUpdate: artifactUpdateSchema }),
]);

export const sendMessageResponseSchema: z.ZodType<SendMessageResponse> = z.union([
  z.strictObject({ task: taskSchema }),
  z.strictObject({ message: messageSchema }),
]);

/** All four fields are required, also when empty. */
export const listTasksResponseSchema: z.ZodType<ListTasksResponse> = z.strictObject({
  tasks: z.array(taskSchema),
  nextPageToken: z.string(),
  pageSize: z.int().min(1).max(100),
  totalSize: z.int().min(0),
});

export const pushConfigSchema: z.ZodType<TaskPushNotificationConfig> = z.strictObject({
  taskId: id.exactOptional(),
  id: id.exactOptional(),
  url: id,
  token: z.string().exactOptional(),
  authentication: z.strictObject({ scheme: id, credentials: z.string().exactOptional() }).exactOptional(),
});
