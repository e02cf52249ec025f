import * as langchain from '@langchain/core/messages';
import { JsonPlusSerializer } from '@langchain/langgraph-checkpoint';
import { describe, expect, it } from 'vitest';
import { equals, looksLike, make } from './recipe.ts';
import { createTexts } from './texts.ts';

const {
  AIMessage,
  AIMessageChunk,
  ChatMessage,
  FunctionMessage,
  HumanMessage,
  RemoveMessage,
  SystemMessage,
  ToolMessage,
} = langchain;
const stock = new JsonPlusSerializer();
const texts = createTexts();

const messages = [
  new HumanMessage('plain'),
  new HumanMessage({
    id: '1',
    name: 'bob',
    content: [{ type: 'text', text: 'a' }],
    additional_kwargs: { snake_case: 1 },
  }),
  new SystemMessage('system'),
  new AIMessage({
    id: '2',
    content: 'calls',
    tool_calls: [{ id: 'c', name: 'search', args: { q: 'x', deep: [{ a: 1 }] }, type: 'tool_call' }],
    usage_metadata: { input_tokens: 1, output_tokens: 2, total_tokens: 3 } as never,
    response_metadata: { token_usage: { some: 1 } },
    additional_kwargs: { function_call: { name: 'f', arguments: '{}' } },
  }),
  new AIMessageChunk({
    id: '3',
    content: 'c',
    tool_call_chunks: [{ index: 0, args: '{"a"', id: 'x', name: 'n' }],
  }),
  new ToolMessage({ content: 'r', tool_call_id: 'c', status: 'error', artifact: { rows: [1] } }),
  new FunctionMessage({ content: 'f', name: 'fn' }),
  new ChatMessage('c', 'role'),
  new RemoveMessage({ id: '4' }),
];

const values = [
  ...messages,
  null,
  1.5,
  'text',
  [],
  { messages, nested: { list: [messages[0], 1] } },
  { lc: 1, looks: 'like a record' },
  { lc: 2, type: 'undefined' },
  [undefined, { u: undefined }],
  new Set([1]),
  new Map([[1, { m: messages[1] }]]),
  { bytes: new Uint8Array([1, 2]), pattern: /a/g, error: new Error('e') },
  new HumanMessage({ content: 'x', additional_kwargs: { lc: 1, type: 'constructor', id: ['x'] } }),
];

describe('texts', () => {
  it.each(values.map((value) => [value]))('reads what LangGraph would read: %#', async (value) => {
    const text = texts.write(value);
    const expected: unknown = await stock.loadsTyped('json', text);
    const read = await texts.read(text);
    expect(read).toEqual(expected);
    expect(texts.write(read)).toBe(
      new TextDecoder().decode((await stock.dumpsTyped(expected))[1] as Uint8Array),
    );
    const recipe = texts.recipe(text);
    if (recipe) expect(make(recipe)).toEqual(expected);
  });

  it.each(messages.map((message) => [message]))(
    'has a recipe for messages, each made with nothing shared: %#',
    (message) => {
      const recipe = texts.recipe(texts.write(message));
      if (!recipe) throw new Error('no recipe');
      const one = make(recipe) as langchain.BaseMessage;
      expect(equals(one, recipe) && looksLike(one, recipe)).toBe(true);
      one.additional_kwargs.changed = true;
      expect(equals(one, recipe)).toBe(false);
      one.content = 'changed';
      expect(looksLike(one, recipe)).toBe(false);
      const two = make(recipe) as langchain.BaseMessage;
      expect(texts.recipe(texts.write(two))).toEqual(recipe);
      expect(two.additional_kwargs).not.toHaveProperty('changed');
    },
  );
});
