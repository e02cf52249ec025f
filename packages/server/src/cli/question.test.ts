import type { JsonObject } from '@parley/protocol';
import { expect, test } from 'vitest';
import type { TaskHead } from './print-stream.ts';
import { questionsOf, replyTo } from './question.ts';

const waiting = (...questions: JsonObject[]): TaskHead => ({
  id: 't',
  contextId: 'c',
  status: {
    state: 'TASK_STATE_INPUT_REQUIRED',
    message: {
      messageId: 'm',
      role: 'ROLE_AGENT',
      parts: [
        { text: 'said' },
        { data: { not: 'a question' } },
        ...questions.map((data) => ({ data, metadata: { langgraph: 'interrupt' } })),
      ],
    },
  },
});
const reply = (schema: JsonObject): string[] =>
  replyTo(questionsOf(waiting({ id: 'i', value: 'Which?', responseSchema: schema })));

test('one question is answered by text, several by a map of their ids', () => {
  expect(replyTo(questionsOf(waiting({ id: 'i', value: 'Which?' })))).toEqual(['your answer']);
  expect(replyTo([])).toEqual(['your answer']);
  const two = questionsOf(
    waiting(
      { id: 'i', value: 'Which?' },
      { id: 'j', value: { prompt: 'Sure?' }, responseSchema: { type: 'boolean' } },
    ),
  );
  expect(two.map(({ text }) => text)).toEqual(['Which?', 'Sure?']);
  expect(replyTo(two)).toEqual(['--data', '{"resume":{"i":"your answer","j":true}}']);
});

test.each<[JsonObject, string]>([
  [{ type: 'string' }, 'your answer'],
  [{ enum: ['red', 'blue'] }, 'red'],
  [{ const: 7 }, '7'],
  [{ type: 'integer', minimum: 3 }, '3'],
  [{ type: ['null', 'string'] }, 'null'],
  [{ anyOf: [{ type: 'boolean' }, { type: 'string' }] }, 'true'],
  [
    {
      type: 'object',
      properties: { a: { type: 'array' }, b: { default: 'x' }, c: { type: 'number' } },
      required: ['a', 'b'],
    },
    '{"a":[],"b":"x"}',
  ],
])('%j has the example %s', (schema, example) => {
  expect(reply(schema)).toEqual([example]);
});
