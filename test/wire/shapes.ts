import type {
  Artifact,
  Message,
  Part,
  Task,
  TaskArtifactUpdateEvent,
  TaskStatusUpdateEvent,
} from 'a2a-sdk-v0_3';
import { expect } from 'vitest';
import { z } from 'zod';
import type { Fields } from './rpc.ts';

/** The types of the official v0.3 SDK as strict schemas: `kind` is required everywhere, other keys are refused. */
const record = z.record(z.string(), z.unknown());
const timestamp = z.string().regex(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
const metadata = record.exactOptional();
const names = { name: z.string().exactOptional(), mimeType: z.string().exactOptional() };
const id = z.string().min(1);
const listOf = <T extends z.ZodType>(item: T): z.ZodArray<T> => z.array(item).min(1);

const part = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('text'), text: z.string(), metadata }),
  z.strictObject({ kind: z.literal('data'), data: record, metadata }),
  z.strictObject({
    kind: z.literal('file'),
    file: z.union([z.strictObject({ bytes: z.base64(), ...names }), z.strictObject({ uri: id, ...names })]),
    metadata,
  }),
]) satisfies z.ZodType<Part>;

export const messageV0_3 = z.strictObject({
  kind: z.literal('message'),
  messageId: id,
  role: z.enum(['user', 'agent']),
  parts: listOf(part),
  contextId: id.exactOptional(),
  taskId: id.exactOptional(),
  metadata,
  extensions: listOf(z.string()).exactOptional(),
  referenceTaskIds: listOf(z.string()).exactOptional(),
}) satisfies z.ZodType<Message>;

const artifact = z.strictObject({
  artifactId: id,
  parts: listOf(part),
  name: z.string().exactOptional(),
  description: z.string().exactOptional(),
  metadata,
  extensions: listOf(z.string()).exactOptional(),
}) satisfies z.ZodType<Artifact>;

const status = z.strictObject({
  state: z.enum([
    'submitted',
    'working',
    'input-required',
    'completed',
    'canceled',
    'failed',
    'rejected',
    'auth-required',
  ]),
  message: messageV0_3.exactOptional(),
  timestamp,
});

export const taskV0_3 = z.strictObject({
  kind: z.literal('task'),
  id,
  contextId: id,
  status,
  artifacts: listOf(artifact).exactOptional(),
  history: listOf(messageV0_3).exactOptional(),
  metadata,
}) satisfies z.ZodType<Task>;

export const eventV0_3 = z.discriminatedUnion('kind', [
  taskV0_3,
  messageV0_3,
  z.strictObject({
    kind: z.literal('status-update'),
    taskId: id,
    contextId: id,
    status,
    final: z.boolean(),
    metadata,
  }) satisfies z.ZodType<TaskStatusUpdateEvent>,
  z.strictObject({
    kind: z.literal('artifact-update'),
    taskId: id,
    contextId: id,
    artifact,
    append: z.boolean(),
    lastChunk: z.boolean(),
    metadata,
  }) satisfies z.ZodType<TaskArtifactUpdateEvent>,
]);

export function expectShape(schema: z.ZodType, value: unknown): void {
  const { error } = schema.safeParse(value);
  expect(error, error && `${z.prettifyError(error)}\n${JSON.stringify(value, null, 1)}`).toBeUndefined();
}

/** Members whose content belongs to graphs and their users. */
const USERS = new Set(['args', 'content', 'value', 'responseSchema', 'response_schema']);

/** Keys in snake_case that the server itself has written. */
export function snakeCaseKeys(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap(snakeCaseKeys);
  if (typeof value !== 'object' || value === null) return [];
  const fields = value as Fields;
  return Object.entries(fields).flatMap(([key, member]) => {
    const own = key === 'data' && fields.metadata?.langgraph === undefined;
    return [...(key.includes('_') ? [key] : []), ...(own || USERS.has(key) ? [] : snakeCaseKeys(member))];
  });
}
