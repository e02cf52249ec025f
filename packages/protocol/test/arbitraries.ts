/** Random values of the model for property tests. */

import fc from 'fast-check';
import {
  type Artifact,
  type JsonObject,
  type JsonValue,
  type Message,
  type Part,
  type StreamResponse,
  TASK_STATES,
  type Task,
  type TaskEvent,
  type TaskStatus,
} from '../src/model.ts';

/** Through text, so that it is what a parser makes: no -0, and `__proto__` as an own key. */
export const json: fc.Arbitrary<JsonValue> = fc
  .json({ maxDepth: 3, stringUnit: 'binary' })
  .map((text) => JSON.parse(text) as JsonValue);

const key = fc.oneof(
  fc.string(),
  fc.constantFrom('__proto__', 'constructor', 'toString', 'context_id', 'toolCalls'),
);

const jsonObject: fc.Arbitrary<JsonObject> = fc
  .array(fc.tuple(key, json), { minLength: 1, maxLength: 4 })
  .map((entries) => Object.fromEntries(entries));

const word = fc.string({ minLength: 1, maxLength: 12, unit: 'binary' });
const words = fc.array(word, { minLength: 1, maxLength: 3 });
const base64 = fc.uint8Array({ maxLength: 12 }).map((bytes) => Buffer.from(bytes).toString('base64'));

/** A record whose optional keys may be missing, never undefined. */
const shape = <T>(fields: { [K in keyof T]-?: fc.Arbitrary<T[K]> }, required: (keyof T)[]): fc.Arbitrary<T> =>
  fc.record(fields as never, { requiredKeys: required as never, noNullPrototype: true }) as fc.Arbitrary<T>;

const fileFields = { metadata: jsonObject, filename: word, mediaType: word };

/** Parts that both versions can carry: 0.3 has no file name on text and data. */
const part: fc.Arbitrary<Part> = fc.oneof(
  shape<{ text: string; metadata: JsonObject }>(
    { text: fc.string({ unit: 'binary' }), metadata: jsonObject },
    ['text'],
  ),
  shape<{ raw: string } & typeof fileFields>({ raw: base64, ...fileFields } as never, ['raw']),
  shape<{ url: string } & typeof fileFields>({ url: fc.webUrl(), ...fileFields } as never, ['url']),
  shape<{ data: JsonValue; metadata: JsonObject }>(
    { data: json.filter((value) => value !== null), metadata: jsonObject },
    ['data'],
  ),
) as fc.Arbitrary<Part>;

const parts = fc.array(part, { minLength: 1, maxLength: 4 });

export const message: fc.Arbitrary<Message> = shape<Message>(
  {
    messageId: word,
    contextId: word,
    taskId: word,
    role: fc.constantFrom('ROLE_USER', 'ROLE_AGENT'),
    parts,
    metadata: jsonObject,
    extensions: words,
    referenceTaskIds: words,
  } as never,
  ['messageId', 'role', 'parts'],
);

const artifactId = fc.constantFrom('a', 'b', 'c', 'd');

const artifact: fc.Arbitrary<Artifact> = shape<Artifact>(
  { artifactId, name: word, description: word, parts, metadata: jsonObject, extensions: words } as never,
  ['artifactId', 'parts'],
);

const timestamp = fc
  .date({ min: new Date(0), max: new Date('2100-01-01'), noInvalidDate: true })
  .map((date) => date.toISOString());

const status: fc.Arbitrary<TaskStatus> = shape<TaskStatus>(
  { state: fc.constantFrom(...TASK_STATES), message, timestamp } as never,
  ['state'],
);

export const task: fc.Arbitrary<Task> = shape<Task>(
  {
    id: word,
    contextId: word,
    status,
    artifacts: fc.uniqueArray(artifact, { minLength: 1, maxLength: 3, selector: (item) => item.artifactId }),
    history: fc.array(message, { minLength: 1, maxLength: 3 }),
    metadata: jsonObject,
  } as never,
  ['id', 'contextId', 'status'],
);

const ids = { taskId: word, contextId: word };

const statusUpdate = fc
  .record({ ...ids, status, metadata: fc.option(jsonObject), answer: fc.option(artifactId) })
  .map(({ metadata, answer, ...event }) => ({
    statusUpdate: {
      ...event,
      ...(metadata || answer
        ? { metadata: { ...metadata, ...(answer ? { answerArtifactId: answer } : {}) } }
        : {}),
    },
  }));

const artifactUpdate = fc
  .record(
    { ...ids, artifact, append: fc.boolean(), lastChunk: fc.boolean(), metadata: jsonObject },
    { requiredKeys: ['taskId', 'contextId', 'artifact'], noNullPrototype: true },
  )
  .map((event) => ({ artifactUpdate: event }));

export const streamResponse: fc.Arbitrary<StreamResponse> = fc.oneof(
  task.map((value) => ({ task: value })),
  message.map((value) => ({ message: value })),
  statusUpdate,
  artifactUpdate,
) as fc.Arbitrary<StreamResponse>;

export const update: fc.Arbitrary<TaskEvent> = fc.oneof(
  { weight: 1, arbitrary: message.map((value) => ({ history: value })) },
  { weight: 1, arbitrary: statusUpdate },
  { weight: 4, arbitrary: artifactUpdate },
) as fc.Arbitrary<TaskEvent>;

/** Fails a test that changes what it was given. */
export function deepFreeze<T>(value: T): T {
  if (typeof value === 'object' && value !== null) {
    for (const item of Object.values(value)) deepFreeze(item);
    Object.freeze(value);
  }
  return value;
}
