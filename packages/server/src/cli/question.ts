import type { JsonObject, JsonValue } from '@parley/protocol';
import type { TaskHead } from './print-stream.ts';

export interface Question {
  id: string;
  text: string;
  schema?: JsonObject;
}

/** The open questions of a task, from the data of its status message. */
export function questionsOf({ status }: TaskHead): Question[] {
  return (status.message?.parts ?? []).flatMap((part) => {
    if (!('data' in part) || part.metadata?.langgraph !== 'interrupt') return [];
    const { id, value, responseSchema } = part.data as {
      id: string;
      value: JsonValue;
      responseSchema?: JsonObject;
    };
    return [{ id, text: textOf(value), ...(responseSchema ? { schema: responseSchema } : {}) }];
  });
}

/** Arguments of `send` that answer the questions, with an example where a value belongs. */
export function replyTo(questions: readonly Question[]): string[] {
  const [only] = questions;
  if (questions.length > 1) {
    const resume = Object.fromEntries(
      questions.map(({ id, schema }) => [id, schema ? example(schema) : 'your answer']),
    );
    return ['--data', JSON.stringify({ resume })];
  }
  const value = only?.schema ? example(only.schema) : 'your answer';
  return [typeof value === 'string' ? value : JSON.stringify(value)];
}

/** A value that a JSON Schema allows, as far as its usual keywords go. */
function example(schema: JsonObject): JsonValue {
  if ('const' in schema) return schema.const ?? null;
  if (Array.isArray(schema.enum)) return schema.enum[0] ?? null;
  if ('default' in schema) return schema.default ?? null;
  const [choice] = [schema.anyOf, schema.oneOf].find(Array.isArray) ?? [];
  if (choice !== undefined) return example(choice as JsonObject);
  const type = String(Array.isArray(schema.type) ? schema.type[0] : schema.type);
  switch (type) {
    case 'boolean':
      return true;
    case 'number':
    case 'integer':
      return typeof schema.minimum === 'number' ? schema.minimum : 1;
    case 'array':
      return [];
    case 'null':
      return null;
    case 'object': {
      const properties = (schema.properties ?? {}) as { [name: string]: JsonObject };
      const required = (schema.required ?? []) as string[];
      return Object.fromEntries(required.map((name) => [name, example(properties[name] ?? {})]));
    }
    default:
      return 'your answer';
  }
}

function textOf(value: JsonValue): string {
  if (typeof value === 'string') return value;
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
    const asked = ['question', 'prompt', 'message', 'description'].map((key) => value[key]);
    const text = asked.find((one) => typeof one === 'string');
    if (typeof text === 'string') return text;
  }
  return JSON.stringify(value);
}
