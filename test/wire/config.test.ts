import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { ConfigError, createServer, loadAgents, loadConfig } from '@parley/server';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { call, type Fields, userMessage } from './rpc.ts';

let folder = '';
let projects = 0;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'parley-config-'));
  // The graphs of these projects import LangGraph as an installed project would.
  await symlink(resolve('node_modules'), join(folder, 'node_modules'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** Writes a project and returns the path of its `langgraph.json`. */
async function project(config: unknown, files: { [name: string]: string } = {}): Promise<string> {
  const home = join(folder, `p${projects++}`);
  const all = { 'langgraph.json': typeof config === 'string' ? config : JSON.stringify(config), ...files };
  for (const [name, text] of Object.entries(all)) {
    await mkdir(dirname(join(home, name)), { recursive: true });
    await writeFile(join(home, name), text);
  }
  return join(home, 'langgraph.json');
}

function configError(path: string): ConfigError {
  try {
    loadConfig(path);
  } catch (error) {
    expect(error).toBeInstanceOf(ConfigError);
    return error as ConfigError;
  }
  throw new Error('the configuration was taken');
}

async function agentsError(path: string): Promise<ConfigError> {
  const error = await loadAgents(loadConfig(path)).then(
    () => new Error('the agents were taken'),
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(ConfigError);
  return error as ConfigError;
}

const graphs = { agent: './agent.ts:graph' };

describe('a langgraph.json that cannot be read', () => {
  it.each<[string, unknown, string, RegExp]>([
    ['cut JSON', '{"graphs":', '', /is not JSON/],
    ['an empty file', '', '', /is not JSON/],
    ['a list', [], '', /expected (?:an )?object/i],
    ['null', 'null', '', /expected (?:an )?object/i],
    ['no graphs', {}, 'graphs', /graph ids/],
    ['graphs that are a list', { graphs: [] }, 'graphs', /graph ids/],
    ['no graph in graphs', { graphs: {} }, 'graphs', /at least one graph/],
    ['a graph that is a number', { graphs: { agent: 5 } }, 'graphs.agent', /"\.\/file\.ts:export"/],
    ['a graph without path', { graphs: { agent: { description: 'x' } } }, 'graphs.agent', /"\.\/file\.ts:export"/],
    ['a path without export', { graphs: { agent: './agent.ts' } }, 'graphs.agent', /"\.\/file\.ts:export".*"\.\/agent\.ts"/],
    ['a path with an empty export', { graphs: { agent: './agent.ts:' } }, 'graphs.agent', /"\.\/file\.ts:export"/],
    ['an unknown setting', { graphs, a2a: { publicURL: 'https://h' } }, 'a2a.publicURL', /not a setting/],
    ['an unknown setting of an assistant', { graphs, a2a: { assistants: { agent: { colour: 'red' } } } }, 'a2a.assistants.agent.colour', /not a setting/],
    ['settings of a graph that is not there', { graphs, a2a: { assistants: { other: {} } } }, 'a2a.assistants.other', /'other'.*agent/],
    ['a setting of another type', { graphs, a2a: { strictVersion: 'yes' } }, 'a2a.strictVersion', /boolean/],
    ['a setting of another value', { graphs, a2a: { v03: 'some' } }, 'a2a.v03', /"core".*"full"/],
    ['a public URL that is a path', { graphs, a2a: { publicUrl: '/agents' } }, 'a2a.publicUrl', /absolute URL/],
    ['a size without unit', { graphs, a2a: { bodyLimit: '10 apples' } }, 'a2a.bodyLimit', /"10 MiB"/],
    ['a size of zero', { graphs, a2a: { bodyLimit: 0 } }, 'a2a.bodyLimit', /"10 MiB"/],
    ['a duration that is none', { graphs, a2a: { runDeadline: 'soon' } }, 'a2a.runDeadline', /"30s"/],
    ['a negative duration', { graphs, a2a: { runDeadline: -1 } }, 'a2a.runDeadline', /"30s"/],
    ['a count of zero', { graphs, a2a: { maxParts: 0 } }, 'a2a.maxParts', /above 0/],
    ['half a count', { graphs, a2a: { maxDepth: 1.5 } }, 'a2a.maxDepth', /whole number/],
    ['no input modes', { graphs, a2a: { assistants: { agent: { input_modes: [] } } } }, 'a2a.assistants.agent.input_modes', /at least one media type/],
    ['a skill without tags', { graphs, a2a: { assistants: { agent: { skills: [{ id: 's', name: 's', description: '' }] } } } }, 'a2a.assistants.agent.skills.0.tags', /array/],
    ['a2a that is null', { graphs, a2a: null }, 'a2a', /object/],
    ['disable_a2a as text', { graphs, http: { disable_a2a: 'true' } }, 'http.disable_a2a', /boolean/],
    ['http that is a list', { graphs, http: [] }, 'http', /object/],
    ['cors that is text', { graphs, http: { cors: '*' } }, 'http.cors', /object/],
    ['origins that are text', { graphs, http: { cors: { allow_origins: '*' } } }, 'http.cors.allow_origins', /array/],
    ['a pattern of origins that is none', { graphs, http: { cors: { allow_origin_regex: '(' } } }, 'http.cors.allow_origin_regex', /regular expression/],
    ['an env that is a list', { graphs, env: ['A=1'] }, 'env', /\.env file or an object/],
    ['a variable that is an object', { graphs, env: { A: {} } }, 'env', /\.env file or an object/],
    ['an env file that is not there', { graphs, env: './nope.env' }, 'env', /\.\/nope\.env cannot be read/],
  ])('(%s) names the file, the key and what is expected', async (_, config, key, expected) => {
    const file = await project(config);
    const error = configError(file);
    expect(error.message).toMatch(expected);
    expect(error.key).toBe(key);
    expect(error.file).toBe(file);
    expect(error.message.startsWith(`${file}: ${key === '' ? '' : `${key}: `}`)).toBe(true);
    expect(error.code).toBe('PARLEY_CONFIG');
  });

  it('because it is not there, says how to name one', () => {
    const error = configError(join(folder, 'nowhere', 'langgraph.json'));
    expect(error.message).toMatch(/nowhere.langgraph\.json: cannot be read.*--config/);
  });
});

describe('a langgraph.json', () => {
  it('keeps the keys of others', async () => {
    const others = {
      node_version: '20',
      dependencies: ['.'],
      store: { index: { dims: 3 } },
      http: { app: './app.ts:app', disable_assistants: true, cors: { allow_origins: ['*'], new_option: 1 } },
    };
    const config = loadConfig(await project({ graphs: { agent: { path: './a.ts:g', description: 'd', future: 1 } }, ...others }));
    expect(config.http).toEqual({ ...others.http, disable_a2a: false });
  });

  it('gives paths relative to itself, the descriptions and every default', async () => {
    const file = await project({ graphs: { one: './src/a.ts:graph', two: { path: '../b.js:default', description: 'Two' } } });
    const config = loadConfig(file);
    expect(config.graphs).toEqual({
      one: { file: join(dirname(file), 'src/a.ts'), exportName: 'graph' },
      two: { file: resolve(dirname(file), '../b.js'), exportName: 'default', description: 'Two' },
    });
    expect(config.a2a).toMatchObject({
      v03: 'core',
      strictVersion: false,
      cardWithoutVersion: 'merged',
      maxHistoryLength: 10,
      bodyLimit: 10 * 1024 * 1024,
      maxParts: 1_000,
      maxDepth: 64,
      runDeadline: 3_600_000,
      pausedTtl: 7 * 86_400_000,
      eventTtl: 86_400_000,
      taskTtl: 30 * 86_400_000,
      queuePerContext: 64,
    });
    expect(config.env).toEqual({});
  });

  it('reads sizes and durations in words and numbers', async () => {
    const a2a = { bodyLimit: '2 MiB', runDeadline: '90s', pausedTtl: '1.5h', eventTtl: 30, taskTtl: '500 ms' };
    expect(loadConfig(await project({ graphs, a2a })).a2a).toMatchObject({
      bodyLimit: 2 * 1024 * 1024,
      runDeadline: 90_000,
      pausedTtl: 5_400_000,
      eventTtl: 30_000,
      taskTtl: 500,
    });
  });

  it('takes variables from an object and from a file', async () => {
    const object = loadConfig(await project({ graphs, env: { A: 'x', N: 1, B: true } }));
    expect(object.env).toEqual({ A: 'x', N: '1', B: 'true' });
    const file = await project({ graphs, env: '.env' }, { '.env': '# comment\nA="two words"\nB=c=d\n\nC=\n' });
    expect(loadConfig(file).env).toEqual({ A: 'two words', B: 'c=d', C: '' });
  });
});

const IMPORTS = `import { AIMessage } from '@langchain/core/messages';
import { MessagesAnnotation, START, StateGraph } from '@langchain/langgraph';`;
const body = (text: string): string => `new StateGraph(MessagesAnnotation)
  .addNode('say', () => ({ messages: [new AIMessage(${JSON.stringify(text)})] })).addEdge(START, 'say')`;

/** Loads a project, serves it and returns what each agent says. */
async function answersOf(file: string): Promise<{ [graphId: string]: string }> {
  const config = loadConfig(file);
  const logger = pino({ level: 'silent' });
  const agents = await loadAgents(config);
  const parley = await createServer({ agents, settings: config.a2a, http: {}, database: ':memory:', env: {}, logger });
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
    const file = await project(
      { graphs: { agent: './src/agent.ts:graph', default: './src/agent.ts:default', factory: './src/agent.ts:make', raw: './src/agent.ts:builder' } },
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
    expect(await answersOf(file)).toEqual({ agent: 'hello from ts', default: 'default', factory: 'made', raw: 'raw' });
  });

  it('is loaded from JavaScript, from a custom agent and from a CommonJS project', async () => {
    const common = IMPORTS.replaceAll(/import (.*) from (.*);/g, 'const $1 = require($2);');
    const file = await project(
      { graphs: { js: './agent.mjs:graph', custom: './custom.mjs:agent', cjs: './common/agent.js:graph', computed: './common/computed.cjs:graph', ts: './common/agent.ts:graph' } },
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
    ['that throws when it is imported', { 'agent.ts': 'throw new Error("no API key");' }, './agent.ts:graph', /agent\.ts cannot be loaded: no API key/],
    ['that throws no error', { 'agent.mjs': 'throw "just text";' }, './agent.mjs:graph', /cannot be loaded: just text/],
    ['that has a syntax error', { 'agent.ts': 'export const graph = ;' }, './agent.ts:graph', /agent\.ts cannot be loaded/],
    ['whose import is missing', { 'agent.ts': 'import "./nope.js"; export const graph = 1;' }, './agent.ts:graph', /cannot be loaded.*nope/],
    ['without the export', { 'agent.ts': 'export const graph = 1; export const other = 2;' }, './agent.ts:agent', /no export 'agent'; its exports: graph, other$/],
    ['without any export', { 'agent.mjs': '' }, './agent.mjs:agent', /no export 'agent'; its exports: none$/],
    ['whose default export is an object of another kind', { 'agent.mjs': 'class G { invoke() {} secret = 1 } export default new G();' }, './agent.mjs:agent', /no export 'agent'; its exports: default$/],
    ['in CommonJS without the export', { 'agent.cjs': 'module.exports = { one: 1, two: 2 };' }, './agent.cjs:graph', /no export 'graph'; its exports: (?=.*one)(?=.*two)/],
    ['named like a member of every object', { 'agent.mjs': 'export const a = 1;' }, './agent.mjs:toString', /no export 'toString'/],
    ['that is a number', { 'agent.mjs': 'export const graph = 5;' }, './agent.mjs:graph', /'graph' is not an agent; expected a StateGraph/],
    ['that is null', { 'agent.mjs': 'export const graph = null;' }, './agent.mjs:graph', /'graph' is not an agent/],
    ['that is a promise of nothing', { 'agent.mjs': 'export const graph = Promise.resolve();' }, './agent.mjs:graph', /'graph' is not an agent/],
    ['that is a promise that fails', { 'agent.mjs': 'export const graph = Promise.reject(new Error("no database"));' }, './agent.mjs:graph', /'graph' could not be made: no database/],
    ['that does not compile', { 'agent.mjs': `${IMPORTS}\nexport const graph = new StateGraph(MessagesAnnotation).addNode('a', () => ({})).addEdge('a', 'nowhere');` }, './agent.mjs:graph', /could not be made/],
  ])('%s is named with its file', async (_, files, path, expected) => {
    const file = await project({ graphs: { agent: path } }, files);
    const error = await agentsError(file);
    expect(error.message).toMatch(expected);
    expect([error.file, error.key]).toEqual([file, 'graphs.agent']);
  });
});
