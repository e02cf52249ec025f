import { pino } from 'pino';
import { describe, expect, it } from 'vitest';
import { ConfigError } from '../../packages/server/src/config/config-error.ts';
import { loadConfig } from '../../packages/server/src/config/load-config.ts';
import { createServer } from '../../packages/server/src/create-server.ts';
import { loadAgents } from '../../packages/server/src/langgraph/load-agents.ts';
import { createProjects } from './project.ts';
import { call, type Fields, userMessage } from './rpc.ts';

const projects = createProjects();

async function agentsError(path: string): Promise<ConfigError> {
  const error = await loadAgents(loadConfig(path)).then(
    () => new Error('the agents were taken'),
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(ConfigError);
  return error as ConfigError;
}

const IMPORTS = `import { AIMessage } from '@langchain/core/messages';
import { MessagesAnnotation, START, StateGraph } from '@langchain/langgraph';`;
const body = (text: string): string => `new StateGraph(MessagesAnnotation)
  .addNode('say', () => ({ messages: [new AIMessage(${JSON.stringify(text)})] })).addEdge(START, 'say')`;

/** Loads a project, serves it and returns what each agent says. */
async function answersOf(file: string): Promise<{ [graphId: string]: string }> {
  const config = loadConfig(file);
  const logger = pino({ level: 'silent' });
  const agents = await loadAgents(config);
  const parley = await createServer({
    agents,
    settings: config.a2a,
    http: {},
    database: ':memory:',
    env: {},
    logger,
  });
  try {
    const { url } = await parley.listen({ port: 0, host: '127.0.0.1' });
    const answers: { [graphId: string]: string } = {};
    for (const graphId of agents.keys()) {
      const response = await fetch(`${url}/a2a/${graphId}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(call('SendMessage', { message: userMessage('hi') })),
      });
      answers[graphId] = ((await response.json()) as Fields).result.task.artifacts[0].parts[0].text;
    }
    return answers;
  } finally {
    await parley.close(0);
  }
}

describe('a graph', () => {
  it('is loaded from TypeScript without a build step, with types and its own imports', async () => {
    const file = await projects.write(
      {
        graphs: {
          agent: './src/agent.ts:graph',
          default: './src/agent.ts:default',
          factory: './src/agent.ts:make',
          raw: './src/agent.ts:builder',
        },
      },
      {
        'src/words.ts': `export enum Word { Hello = 'hello from ts' }\nexport type Unused = { a: string };`,
        'src/agent.ts': `${IMPORTS}
import { type Unused, Word } from './words.js';
export const builder = ${body('raw')};
export const graph = new StateGraph(MessagesAnnotation)
  .addNode('say', (): { messages: AIMessage[] } => ({ messages: [new AIMessage(Word.Hello satisfies string)] })).addEdge(START, 'say').compile();
export async function make(config: { configurable?: object }) { return (${body('made')}).compile(); }
export default Promise.resolve((${body('default')}).compile());
export type { Unused };`,
      },
    );
    expect(await answersOf(file)).toEqual({
      agent: 'hello from ts',
      default: 'default',
      factory: 'made',
      raw: 'raw',
    });
  });

  it('is loaded from JavaScript, from a custom agent and from a CommonJS project', async () => {
    const common = IMPORTS.replaceAll(/import (.*) from (.*);/g, 'const $1 = require($2);');
    const file = await projects.write(
      {
        graphs: {
          js: './agent.mjs:graph',
          custom: './custom.mjs:agent',
          cjs: './common/agent.js:graph',
          computed: './common/computed.cjs:graph',
          ts: './common/agent.ts:graph',
        },
      },
      {
        'agent.mjs': `${IMPORTS}\nexport const graph = (${body('from js')}).compile();`,
        'custom.mjs': `export const agent = { invoke: ({ text }) => 'custom ' + text };`,
        'common/package.json': '{"type":"commonjs"}',
        'common/agent.js': `${common}\nexports.graph = (${body('from cjs')}).compile();`,
        'common/computed.cjs': `${common}\nmodule.exports = Object.fromEntries([['gra' + 'ph', (${body('computed')}).compile()]]);`,
        'common/agent.ts': `${IMPORTS}\nexport const graph = (${body('ts in cjs')}).compile();`,
      },
    );
    expect(await answersOf(file)).toEqual({
      js: 'from js',
      custom: 'custom hi',
      cjs: 'from cjs',
      computed: 'computed',
      ts: 'ts in cjs',
    });
  });

  it.each<[string, { [name: string]: string }, string, RegExp]>([
    ['that is not there', {}, './agent.ts:graph', /agent\.ts does not exist/],
    [
      'that throws when it is imported',
      { 'agent.ts': 'throw new Error("no API key");' },
      './agent.ts:graph',
      /agent\.ts cannot be loaded: no API key/,
    ],
    [
      'that throws no error',
      { 'agent.mjs': 'throw "just text";' },
      './agent.mjs:graph',
      /cannot be loaded: just text/,
    ],
    [
      'that has a syntax error',
      { 'agent.ts': 'export const graph = ;' },
      './agent.ts:graph',
      /agent\.ts cannot be loaded/,
    ],
    [
      'whose import is missing',
      { 'agent.ts': 'import "./nope.js"; export const graph = 1;' },
      './agent.ts:graph',
      /cannot be loaded.*nope/,
    ],
    [
      'without the export',
      { 'agent.ts': 'export const graph = 1; export const other = 2;' },
      './agent.ts:agent',
      /no export 'agent'; its exports: graph, other$/,
    ],
    ['without any export', { 'agent.mjs': '' }, './agent.mjs:agent', /no export 'agent'; its exports: none$/],
    [
      'whose default export is an object of another kind',
      { 'agent.mjs': 'class G { invoke() {} secret = 1 } export default new G();' },
      './agent.mjs:agent',
      /no export 'agent'; its exports: default$/,
    ],
    [
      'in CommonJS without the export',
      { 'agent.cjs': 'module.exports = { one: 1, two: 2 };' },
      './agent.cjs:graph',
      /no export 'graph'; its exports: (?=.*one)(?=.*two)/,
    ],
    [
      'named like a member of every object',
      { 'agent.mjs': 'export const a = 1;' },
      './agent.mjs:toString',
      /no export 'toString'/,
    ],
    [
      'that is a number',
      { 'agent.mjs': 'export const graph = 5;' },
      './agent.mjs:graph',
      /'graph' is not an agent; expected a StateGraph/,
    ],
    [
      'that is null',
      { 'agent.mjs': 'export const graph = null;' },
      './agent.mjs:graph',
      /'graph' is not an agent/,
    ],
    [
      'that is a promise of nothing',
      { 'agent.mjs': 'export const graph = Promise.resolve();' },
      './agent.mjs:graph',
      /'graph' is not an agent/,
    ],
    [
      'that is a promise that fails',
      { 'agent.mjs': 'export const graph = Promise.reject(new Error("no database"));' },
      './agent.mjs:graph',
      /'graph' could not be made: no database/,
    ],
    [
      'that does not compile',
      {
        'agent.mjs': `${IMPORTS}\nexport const graph = new StateGraph(MessagesAnnotation).addNode('a', () => ({})).addEdge('a', 'nowhere');`,
      },
      './agent.mjs:graph',
      /could not be made/,
    ],
  ])('%s is named with its file', async (_, files, path, expected) => {
    const file = await projects.write({ graphs: { agent: path } }, files);
    const error = await agentsError(file);
    expect(error.message).toMatch(expected);
    expect([error.file, error.key]).toEqual([file, 'graphs.agent']);
  });
});
