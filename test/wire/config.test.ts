import { dirname, join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ConfigError } from '../../packages/server/src/config/config-error.ts';
import { loadConfig } from '../../packages/server/src/config/load-config.ts';
import { createProjects } from './project.ts';

const projects = createProjects();

function configError(path: string): ConfigError {
  try {
    loadConfig(path);
  } catch (error) {
    expect(error).toBeInstanceOf(ConfigError);
    return error as ConfigError;
  }
  throw new Error('the configuration was taken');
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
    [
      'a graph without path',
      { graphs: { agent: { description: 'x' } } },
      'graphs.agent',
      /"\.\/file\.ts:export"/,
    ],
    [
      'a path without export',
      { graphs: { agent: './agent.ts' } },
      'graphs.agent',
      /"\.\/file\.ts:export".*"\.\/agent\.ts"/,
    ],
    [
      'a path with an empty export',
      { graphs: { agent: './agent.ts:' } },
      'graphs.agent',
      /"\.\/file\.ts:export"/,
    ],
    ['an unknown setting', { graphs, a2a: { publicURL: 'https://h' } }, 'a2a.publicURL', /not a setting/],
    [
      'an unknown setting of an assistant',
      { graphs, a2a: { assistants: { agent: { colour: 'red' } } } },
      'a2a.assistants.agent.colour',
      /not a setting/,
    ],
    [
      'settings of a graph that is not there',
      { graphs, a2a: { assistants: { other: {} } } },
      'a2a.assistants.other',
      /'other'.*agent/,
    ],
    ['a setting of another type', { graphs, a2a: { strictVersion: 'yes' } }, 'a2a.strictVersion', /boolean/],
    ['a setting of another value', { graphs, a2a: { v03: 'some' } }, 'a2a.v03', /"core".*"full"/],
    [
      'a public URL that is a path',
      { graphs, a2a: { publicUrl: '/agents' } },
      'a2a.publicUrl',
      /absolute URL/,
    ],
    ['a size without unit', { graphs, a2a: { bodyLimit: '10 apples' } }, 'a2a.bodyLimit', /"10 MiB"/],
    ['a size of zero', { graphs, a2a: { bodyLimit: 0 } }, 'a2a.bodyLimit', /"10 MiB"/],
    ['a duration that is none', { graphs, a2a: { runDeadline: 'soon' } }, 'a2a.runDeadline', /"30s"/],
    [
      'a deadline beyond a timer',
      { graphs, a2a: { runDeadline: '25d' } },
      'a2a.runDeadline',
      /at most "24d"/,
    ],
    ['a duration of no time', { graphs, a2a: { runDeadline: 0.0001 } }, 'a2a.runDeadline', /"30s"/],
    ...['pausedTtl', 'eventTtl', 'taskTtl'].map((name): [string, unknown, string, RegExp] => [
      `${name} in words`,
      { graphs, a2a: { [name]: 'a week' } },
      `a2a.${name}`,
      /"7d"/,
    ]),
    ['a negative duration', { graphs, a2a: { runDeadline: -1 } }, 'a2a.runDeadline', /"30s"/],
    ['a count of zero', { graphs, a2a: { maxParts: 0 } }, 'a2a.maxParts', /above 0/],
    ['half a count', { graphs, a2a: { maxDepth: 1.5 } }, 'a2a.maxDepth', /whole number/],
    [
      'no input modes',
      { graphs, a2a: { assistants: { agent: { input_modes: [] } } } },
      'a2a.assistants.agent.input_modes',
      /at least one media type/,
    ],
    [
      'a skill without tags',
      { graphs, a2a: { assistants: { agent: { skills: [{ id: 's', name: 's', description: '' }] } } } },
      'a2a.assistants.agent.skills.0.tags',
      /array/,
    ],
    ['a2a that is null', { graphs, a2a: null }, 'a2a', /object/],
    ['disable_a2a as text', { graphs, http: { disable_a2a: 'true' } }, 'http.disable_a2a', /boolean/],
    ['http that is a list', { graphs, http: [] }, 'http', /object/],
    ['cors that is text', { graphs, http: { cors: '*' } }, 'http.cors', /object/],
    [
      'origins that are text',
      { graphs, http: { cors: { allow_origins: '*' } } },
      'http.cors.allow_origins',
      /array/,
    ],
    [
      'a pattern of origins that is none',
      { graphs, http: { cors: { allow_origin_regex: '(' } } },
      'http.cors.allow_origin_regex',
      /regular expression/,
    ],
    ['an env that is a list', { graphs, env: ['A=1'] }, 'env', /\.env file or an object/],
    ['a variable that is an object', { graphs, env: { A: {} } }, 'env', /\.env file or an object/],
    ['an env file that is not there', { graphs, env: './nope.env' }, 'env', /\.\/nope\.env cannot be read/],
  ])('(%s) names the file, the key and what is expected', async (_, config, key, expected) => {
    const file = await projects.write(config);
    const error = configError(file);
    expect(error.message).toMatch(expected);
    expect(error.key).toBe(key);
    expect(error.file).toBe(file);
    expect(error.message.startsWith(`${file}: ${key === '' ? '' : `${key}: `}`)).toBe(true);
    expect(error.code).toBe('PARLEY_CONFIG');
  });

  it('because it is not there, says how to name one', () => {
    const error = configError(join(projects.folder, 'nowhere', 'langgraph.json'));
    expect(error.message).toMatch(/nowhere.langgraph\.json: cannot be read.*--config/);
  });
});

describe('a langgraph.json', () => {
  it('keeps the keys of others', async () => {
    const others = {
      node_version: '20',
      dependencies: ['.'],
      store: { future: { dims: 3 } },
      checkpointer: { ttl: { default_ttl: 5 } },
      http: { app: './app.ts:app', disable_assistants: true, cors: { allow_origins: ['*'], new_option: 1 } },
    };
    const config = loadConfig(
      await projects.write({
        graphs: { agent: { path: './a.ts:g', description: 'd', future: 1 } },
        ...others,
      }),
    );
    expect(config.http).toEqual({ ...others.http, disable_a2a: false, disable_threads: false });
  });

  it('gives paths relative to itself, the descriptions and every default', async () => {
    const file = await projects.write({
      graphs: { one: './src/a.ts:graph', two: { path: '../b.js:default', description: 'Two' } },
    });
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
      queuePerContext: 64,
    });
    expect(config.env).toEqual({});
  });

  it.each([
    ['90s', 90_000],
    ['1.5h', 5_400_000],
    [30, 30_000],
    ['500 ms', 500],
    ['24d', 24 * 86_400_000],
  ])('reads the duration %s', async (runDeadline, ms) => {
    expect(loadConfig(await projects.write({ graphs, a2a: { runDeadline } })).a2a.runDeadline).toBe(ms);
  });

  it('reads sizes in words and numbers', async () => {
    for (const bodyLimit of ['2 MiB', 2 * 1024 * 1024]) {
      expect(loadConfig(await projects.write({ graphs, a2a: { bodyLimit } })).a2a.bodyLimit).toBe(2_097_152);
    }
  });

  it('takes variables from an object and from a file', async () => {
    const object = loadConfig(await projects.write({ graphs, env: { A: 'x', N: 1, B: true } }));
    expect(object.env).toEqual({ A: 'x', N: '1', B: 'true' });
    const file = await projects.write(
      { graphs, env: '.env' },
      { '.env': '# comment\nA="two words"\nB=c=d\n\nC=\n' },
    );
    expect(loadConfig(file).env).toEqual({ A: 'two words', B: 'c=d', C: '' });
  });
});
