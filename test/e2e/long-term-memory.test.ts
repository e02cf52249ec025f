import { AIMessage } from '@langchain/core/messages';
import {
  type BaseStore,
  getStore,
  InMemoryStore,
  type LangGraphRunnableConfig,
  MessagesAnnotation,
  START,
  StateGraph,
} from '@langchain/langgraph';
import { afterEach, describe, expect, it } from 'vitest';
import { loadConfig } from '../../packages/server/src/config/load-config.ts';
import { loadStore } from '../../packages/server/src/langgraph/load-store.ts';
import { useKillables } from '../support/killable.ts';
import { type Served, serve } from '../support/serve.ts';
import { connectV1_0 } from '../support/story-clients.ts';
import { createProjects } from '../wire/project.ts';
import { sendText } from '../wire/rpc.ts';

let served: Served | undefined;
afterEach(async () => {
  await served?.close();
  served = undefined;
});

type Node = (text: string, config: LangGraphRunnableConfig) => string | Promise<string>;

/** A graph of one node that answers with a text. */
const answering = (node: Node, store?: BaseStore) =>
  new StateGraph(MessagesAnnotation)
    .addNode('say', async ({ messages }, config) => ({
      messages: [new AIMessage(await node(messages.at(-1)?.text ?? '', config))],
    }))
    .addEdge(START, 'say')
    .compile(store ? { store } : {});

/** `key=value` is remembered, `key` answered with what is. */
const remember = async (text: string, store: BaseStore | undefined): Promise<string> => {
  const [key = '', value] = text.split('=');
  if (value !== undefined) await store?.put(['memories'], key, { value });
  return (await store?.get(['memories'], key))?.value.value ?? 'nothing';
};

const answerOf = async (graphId: string, text: string): Promise<string> => {
  const task = await sendText(served as Served, graphId, text);
  return task.artifacts?.[0]?.parts[0].text;
};

describe('the store that is lent to a run', () => {
  it('is one for every graph, tool, factory, subgraph and custom agent, and every conversation', async () => {
    const inNode = answering((text, config) => remember(text, config.store));
    served = await serve({
      graphs: {
        inNode,
        current: answering((text) => remember(text, getStore())),
        made: (config: LangGraphRunnableConfig) => answering((text) => remember(text, config.store)),
        nested: new StateGraph(MessagesAnnotation).addNode('inner', inNode).addEdge(START, 'inner').compile(),
        custom: {
          invoke: ({ text }: { text: string }, { config }: { config: LangGraphRunnableConfig }) =>
            remember(text, config.store),
        },
      },
    });
    const graphs = ['inNode', 'current', 'made', 'nested', 'custom'];
    for (const graphId of graphs)
      expect(await answerOf(graphId, `${graphId}=by ${graphId}`)).toBe(`by ${graphId}`);
    for (const graphId of graphs) {
      for (const other of graphs) expect(await answerOf(graphId, other)).toBe(`by ${other}`);
    }
  });

  it('is the store itself: namespaces are listed, and an item is indexed as its put says', async () => {
    const embed = (texts: string[]) => texts.map((text) => (text.includes('sea') ? [1, 0] : [0, 1]));
    served = await serve({
      graphs: {
        agent: answering(async (_, { store }) => {
          await store?.put(['m', 'one'], 'hidden', { text: 'sea' }, false);
          await store?.put(['m', 'two'], 'found', { text: 'sea', more: 'hill' }, ['text']);
          const found = await store?.search(['m'], { query: 'the sea' });
          const namespaces = await store?.listNamespaces({ prefix: ['m'] });
          return JSON.stringify([namespaces, found?.map(({ key, score }) => [key, score])]);
        }),
      },
      store: { index: { embed, dims: 2 } },
    });
    expect(JSON.parse(await answerOf('agent', 'go'))).toEqual([
      [
        ['m', 'one'],
        ['m', 'two'],
      ],
      [
        ['found', 1],
        ['hidden', null],
      ],
    ]);
  });

  it('is not lent to a graph that was compiled with one of its own', async () => {
    const own = new InMemoryStore();
    const shared = answering((text, config) => remember(text, config.store));
    served = await serve({
      graphs: { own: answering((text, config) => remember(text, config.store), own), shared },
    });
    await answerOf('own', 'a=1');
    expect((await own.get(['memories'], 'a'))?.value).toEqual({ value: '1' });
    expect(await answerOf('shared', 'a')).toBe('nothing');
  });

  it('tells an agent what is wrong, which may go on', async () => {
    served = await serve({
      graphs: {
        agent: answering(async (_, { store }) => {
          const error = await store?.put(['a.b'], 'k', {}).catch((thrown: Error) => thrown.message);
          await store?.put(['a'], 'k', {});
          return `${error} ${(await store?.search(['a']))?.length}`;
        }),
      },
    });
    expect(await answerOf('agent', 'go')).toMatch(/label 'a\.b'.* 1$/);
  });
});

describe('a server that is killed', () => {
  const { start, stop } = useKillables();

  it('has kept what a node had put, and the second try of the node finds it', async () => {
    const before = await start();
    const client = await connectV1_0(before.endpoint('memory'));
    const { id } = await client.send({ parts: [{ text: 'go' }], immediate: true });
    await before.said('put');
    await stop('SIGKILL');
    const again = await connectV1_0((await start()).endpoint('memory'));
    let task = await again.get(id);
    while (task.state === 'working' || task.state === 'submitted') task = await again.get(id);
    expect(task.history.at(-1)?.text).toBe('found 1');
  });
});

describe('store in a langgraph.json', () => {
  const projects = createProjects();
  const graphs = { agent: './agent.ts:graph' };
  const index = { embed: './embed.ts:embed', dims: 2, fields: ['text'] };
  const files = {
    'embed.ts': 'export const embed = (texts: string[]) => texts.map(() => [1, 0]);\nexport const no = 1;',
  };

  it('names the model by its module', async () => {
    const config = loadConfig(await projects.write({ graphs, store: { index } }, files));
    const loaded = await loadStore(config);
    expect(loaded.index).toMatchObject({ dims: 2, fields: ['text'] });
    const embed = loaded.index?.embed;
    expect(typeof embed === 'function' && (await embed(['x']))).toEqual([[1, 0]]);
  });

  it.each<[string, unknown, RegExp]>([
    [
      'a model by provider',
      { index: { ...index, embed: 'openai:text-embedding-3-small' } },
      /store\.index\.embed: expected "\.\/file\.ts:export".*openai/,
    ],
    ['no model', { index: { dims: 2 } }, /store\.index\.embed: expected/],
    ['no length', { index: { embed: index.embed } }, /store\.index\.dims: expected the length/],
    ['a length of 0', { index: { ...index, dims: 0 } }, /store\.index\.dims: expected the length/],
    ['a time that is text', { ttl: { default_ttl: '1h' } }, /store\.ttl\.default_ttl/],
    ['a time of 0', { ttl: { default_ttl: 0 } }, /store\.ttl\.default_ttl: expected a number of minutes/],
    [
      'a store of its own',
      { path: './store.ts:store' },
      /store\.path: is not supported.*compile\(\{ store \}\)/,
    ],
    ['a list', [], /store: /],
  ])('is refused with %s', async (_name, store, error) => {
    const file = await projects.write({ graphs, store }, files);
    expect(() => loadConfig(file)).toThrow(error);
  });

  it.each<[string, string, RegExp]>([
    ['a module that is not there', './nowhere.ts:embed', /store\.index\.embed: .*nowhere\.ts does not exist/],
    ['an export that is not there', './embed.ts:other', /no export 'other'; its exports: embed, no/],
    ['an export that is no model', './embed.ts:no', /'no' makes no vectors; expected LangChain Embeddings/],
  ])('is refused with %s', async (_name, embed, error) => {
    const config = loadConfig(await projects.write({ graphs, store: { index: { ...index, embed } } }, files));
    await expect(loadStore(config)).rejects.toThrow(error);
  });

  it('is refused as an argument in the same words', async () => {
    const wrong = serve({ store: { index: { embed: './embed.ts:embed' as never, dims: 2 } } });
    await expect(wrong).rejects.toThrow(/store\.index\.embed: expected LangChain Embeddings or a function/);
  });
});
