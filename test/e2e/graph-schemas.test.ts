import type { BaseMessage } from '@langchain/core/messages';
import {
  MessagesAnnotation,
  MessagesValue,
  MessagesZodMeta,
  START,
  StateGraph,
  StateSchema,
} from '@langchain/langgraph';
import { registry } from '@langchain/langgraph/zod';
import { Client } from '@langchain/langgraph-sdk';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { createFixture } from '../support/graphs.ts';
import { profileGraph } from '../support/profile-graph.ts';
import { type Served, serve } from '../support/serve.ts';

const declared = new StateGraph(
  new StateSchema({ messages: MessagesValue, note: z.string().describe('What to keep') }),
)
  .addNode('say', () => ({}))
  .addEdge(START, 'say')
  .compile();
const messages = z.array(z.custom<BaseMessage>()).register(registry, MessagesZodMeta as never);
const ZodState = z.object({ messages, note: z.string() });
const zod = new StateGraph(ZodState, z.object({ model: z.string() }))
  .addNode('say', () => ({}))
  .addEdge(START, 'say')
  .compile();
const inner = new StateGraph(MessagesAnnotation)
  .addNode('first', () => ({}))
  .addNode('second', () => ({}))
  .addEdge(START, 'first')
  .addEdge('first', 'second')
  .compile();
const nested = new StateGraph(MessagesAnnotation)
  .addNode('sub', inner)
  .addNode('outer', () => ({}))
  .addEdge(START, 'sub')
  .addEdge('sub', 'outer')
  .compile();
const { tools, custom } = createFixture().graphs;

let served: Served;
let client: Client;
beforeAll(async () => {
  served = await serve({ graphs: { declared, zod, nested, tools, custom, profile: profileGraph() } });
  client = new Client({ apiUrl: served.url, apiKey: null });
});
afterAll(() => served.close());

describe('what a graph says of itself', () => {
  it('is its schemas', async () => {
    const { assistant_id } = await client.assistants.get('declared');
    const schemas = await client.assistants.getSchemas(assistant_id);
    expect(schemas.graph_id).toBe('declared');
    expect(schemas.input_schema?.properties?.note).toMatchObject({
      type: 'string',
      description: 'What to keep',
    });
    expect(schemas.state_schema?.properties).toHaveProperty('messages');
    expect(schemas.output_schema?.properties).toHaveProperty('messages');
    expect(schemas.input_schema).not.toHaveProperty('required');
    expect(schemas.output_schema).toMatchObject({ required: ['note'] });
    const ofZod = await client.assistants.getSchemas('zod');
    expect(ofZod.input_schema?.properties).toMatchObject({
      messages: { type: 'array' },
      note: { type: 'string' },
    });
    expect(ofZod.state_schema).toMatchObject({ required: expect.arrayContaining(['note']) });
    expect(ofZod.config_schema).toMatchObject({ properties: { model: { type: 'string' } } });
    const names = await client.assistants.getSchemas('profile');
    expect(names.input_schema).toEqual({ type: 'object', properties: { messages: {} } });
    expect(names.config_schema).toBeNull();
    expect((await client.assistants.getSchemas('tools')).input_schema?.properties).toHaveProperty('messages');
    expect(await client.assistants.getSchemas('custom')).toMatchObject({
      graph_id: 'custom',
      input_schema: null,
    });
  });

  it('is the schemas of its subgraphs', async () => {
    const subgraphs = await client.assistants.getSubgraphs('nested');
    expect(Object.keys(subgraphs)).toEqual(['sub']);
    expect(subgraphs.sub).toMatchObject({ graph_id: 'sub', state_schema: { properties: { messages: {} } } });
    expect(await client.assistants.getSubgraphs('nested', { namespace: 'sub', recurse: true })).toEqual(
      subgraphs,
    );
    expect(await client.assistants.getSubgraphs('nested', { namespace: 'outer' })).toEqual({});
    expect(await client.assistants.getSubgraphs('custom')).toEqual({});
  });

  it('is its nodes and edges, with those of its subgraphs if asked for', async () => {
    const drawn = await client.assistants.getGraph('nested');
    expect(drawn.nodes.map(({ id }) => id)).toEqual(expect.arrayContaining(['__start__', 'sub', 'outer']));
    expect(drawn.edges).toContainEqual(expect.objectContaining({ source: 'sub', target: 'outer' }));
    const inside = await client.assistants.getGraph('nested', { xray: true });
    expect(inside.nodes.map(({ id }) => id)).toContain('sub:second');
    expect((await client.assistants.getGraph('nested', { xray: 1 })).nodes).toEqual(inside.nodes);
    expect(await client.assistants.getGraph('custom')).toEqual({ nodes: [], edges: [] });
  });
});
