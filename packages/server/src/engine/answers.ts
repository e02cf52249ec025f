import {
  type A2AError,
  type DataPart,
  invalidParams,
  type JsonObject,
  type JsonValue,
  type Message,
} from '@parley/protocol';
import { schemaViolation } from './answer-schema.ts';
import type { PendingInterrupt } from './ports/run.ts';

type Answers = { [interruptId: string]: JsonValue };

/**
 * Reads the answer to a paused graph from a message: a data part with `resume`, v0.3's `message.command.resume`, or
 * plain text. Every answer is addressed: LangGraph.js gives a scalar resume to every pending interrupt, so none is
 * ever sent. Throws `-32602` that lists the open questions where the address or the value does not fit.
 */
export function readAnswers(
  inbound: { message: Message; command?: JsonObject },
  pending: readonly PendingInterrupt[],
): Answers {
  const { value, field, text } = answerOf(inbound);
  const answers = addressed(value, field, pending);
  for (const [id, answer] of Object.entries(answers)) {
    const question = pending.find((one) => one.id === id);
    if (!question) throw refuse(field, `no question with id ${id} is open`, pending);
    answers[id] = fit(answer, text, question, field);
  }
  return answers;
}

function answerOf({ message, command }: { message: Message; command?: JsonObject }): {
  value: JsonValue;
  field: string;
  text: boolean;
} {
  const index = message.parts.findIndex(
    (part) => 'data' in part && isRecord(part.data) && 'resume' in part.data,
  );
  const part = message.parts[index] as DataPart | undefined;
  if (part) {
    return {
      value: (part.data as JsonObject).resume as JsonValue,
      field: `message.parts[${index}].data.resume`,
      text: false,
    };
  }
  if (command && 'resume' in command) {
    return { value: command.resume as JsonValue, field: 'message.command.resume', text: false };
  }
  const text = message.parts.map((one) => ('text' in one ? one.text : '')).join('');
  if (text !== '') return { value: text, field: 'message.parts', text: true };
  const data = message.parts.find((one): one is DataPart => 'data' in one);
  return data
    ? { value: data.data, field: 'message.parts', text: false }
    : { value: '', field: 'message.parts', text: true };
}

/** A map counts as addressed only if every key has the form of an interrupt id. */
function addressed(value: JsonValue, field: string, pending: readonly PendingInterrupt[]): Answers {
  if (isRecord(value)) {
    const keys = Object.keys(value);
    const known = new Set(pending.map((one) => one.id));
    if (keys.length > 0 && keys.every((key) => known.has(key) || INTERRUPT_ID.test(key))) return { ...value };
  }
  const [only, ...others] = pending;
  if (!only || others.length > 0)
    throw refuse(field, 'several questions are open: name the one you answer', pending);
  return { [only.id]: value };
}

/** LangGraph interrupt ids are XXH3-128 in hex. */
const INTERRUPT_ID = /^[0-9a-f]{32}$/;

function fit(answer: JsonValue, text: boolean, question: PendingInterrupt, field: string): JsonValue {
  if (!question.schema) return answer;
  // Text may be the JSON of an answer; then that is what is judged.
  const parsed = text && typeof answer === 'string' ? parseJson(answer) : undefined;
  const violation = schemaViolation(answer, question.schema);
  if (!violation) return answer;
  if (parsed === undefined) throw refuse(field + violation.path, violation.description, [question]);
  const inside = schemaViolation(parsed, question.schema);
  if (!inside) return parsed;
  throw refuse(field + inside.path, inside.description, [question]);
}

function parseJson(text: string): JsonValue | undefined {
  try {
    return JSON.parse(text) as JsonValue;
  } catch {
    return undefined;
  }
}

function refuse(field: string, problem: string, pending: readonly PendingInterrupt[]): A2AError {
  const description = `${problem.replace(/\.$/, '')}; open: ${pending.map((one) => one.id).join(', ')}`;
  return invalidParams(field, description, description);
}

function isRecord(value: JsonValue | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
