import { ClientFactory } from '@a2a-js/sdk/client';
import { agentCardSchema } from '@parley/protocol';
import { ClientFactory as ClientFactoryV0_3 } from 'a2a-sdk-v0_3/client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Served, serve } from '../support/serve.ts';
import { exchange, type Fields, parseAnswer } from './rpc.ts';
import { expectShape } from './shapes.ts';

const WELL_KNOWN = '.well-known/agent-card.json';

let served: Served;
let single: Served;
beforeAll(async () => {
  served = await serve();
  const { echo } = served.fixture.graphs;
  single = await serve({ graphs: { only: echo } });
});
afterAll(() => Promise.all([served.close(), single.close()]));

type Headers = { [name: string]: string };
const get = (url: string, headers: Headers = {}, method = 'GET'): Promise<Response> =>
  fetch(url, { method, headers });
const cardAt = async (url: string, headers: Headers = {}): Promise<Fields> => {
  const response = await get(url, headers);
  expect(response.status).toBe(200);
  return (await response.json()) as Fields;
};
const echoCard = (headers: Headers = {}, server = served): Promise<Fields> =>
  cardAt(`${server.endpoint('echo')}/${WELL_KNOWN}`, headers);

/** Serves `echo` and `memory` with settings, hands out the card of `echo`, closes. */
async function withServer<T>(
  options: Parameters<typeof serve>[0],
  use: (server: Served) => Promise<T>,
): Promise<T> {
  const { echo, memory } = served.fixture.graphs;
  const server = await serve({ graphs: { echo, memory }, ...options });
  try {
    return await use(server);
  } finally {
    await server.close();
  }
}

const HISTORY_SCOPE = {
  uri: 'https://langchain.com/a2a/extensions/history-scope/v1',
  description: 'Choose task-only or full-context response history',
  required: false,
  params: {
    header: 'LangGraph-A2A-History-Scope',
    values: ['context', 'task'],
    default: 'context',
    methods: ['SendMessage', 'GetTask', 'ListTasks'],
  },
};

describe('U29: the shape of a card', () => {
  it.each(['1.0', '1.0.4'])('for A2A-Version %s is pure 1.0', async (version) => {
    const card = await echoCard({ 'A2A-Version': version });
    expectShape(agentCardSchema, card);
    const url = served.endpoint('echo');
    expect(card).toMatchObject({
      name: 'echo',
      supportedInterfaces: [
        { url, protocolBinding: 'JSONRPC', protocolVersion: '1.0' },
        { url, protocolBinding: 'JSONRPC', protocolVersion: '0.3' },
      ],
      capabilities: { streaming: true, pushNotifications: false, extendedAgentCard: false },
      skills: [{ id: 'echo', name: 'echo', tags: ['langgraph'] }],
    });
    expect(card.defaultInputModes.length).toBeGreaterThan(0);
    expect(card.skills[0].description).not.toBe('');
  });

  it.each([undefined, '0.3', '0.3.1', '7.0'])(
    'for A2A-Version %s holds the fields of both versions',
    async (version) => {
      const card = await echoCard(version === undefined ? {} : { 'A2A-Version': version });
      const { protocolVersion, url, preferredTransport, supportsAuthenticatedExtendedCard, ...v1 } = card;
      expect({ protocolVersion, url, preferredTransport, supportsAuthenticatedExtendedCard }).toEqual({
        protocolVersion: '0.3.0',
        url: served.endpoint('echo'),
        preferredTransport: 'JSONRPC',
        supportsAuthenticatedExtendedCard: false,
      });
      expectShape(agentCardSchema, v1);
      expect(v1).toEqual(await echoCard({ 'A2A-Version': '1.0' }));
    },
  );

  it('without a version is pure 1.0 where the setting says so; 0.3 clients that name theirs still get it', async () => {
    await withServer({ a2a: { cardWithoutVersion: '1.0' } }, async (server) => {
      expectShape(agentCardSchema, await echoCard({}, server));
      expect(await echoCard({ 'A2A-Version': '0.3' }, server)).toMatchObject({
        url: server.endpoint('echo'),
      });
    });
  });

  it('follows the version in the query, as requests do', async () => {
    expectShape(agentCardSchema, await cardAt(`${served.endpoint('echo')}/${WELL_KNOWN}?A2A-Version=1.0`));
  });

  it('advertises historyScope exactly as the LangGraph endpoint does', async () => {
    for (const version of ['1.0', '0.3']) {
      expect((await echoCard({ 'A2A-Version': version })).capabilities.extensions).toStrictEqual([
        HISTORY_SCOPE,
      ]);
    }
  });

  it('without a version is read by the official clients of both', async () => {
    const path = `${served.endpoint('echo')}/${WELL_KNOWN}`;
    const v1 = await new ClientFactory().createFromUrl(path, '');
    const v0 = await new ClientFactoryV0_3().createFromUrl(path, '');
    const sent = await v1.sendMessage({
      message: { messageId: 'm', role: 1, parts: [{ content: { $case: 'text', value: 'x' } }] },
    } as never);
    expect(sent).toMatchObject({
      contextId: expect.any(String),
      artifacts: [{ name: 'Assistant Response' }],
    });
    const message = {
      kind: 'message',
      messageId: 'm',
      role: 'user',
      parts: [{ kind: 'text', text: 'x' }],
    } as const;
    expect(await v0.sendMessage({ message: { ...message, parts: [...message.parts] } })).toMatchObject({
      kind: 'task',
    });
  });

  it('is found by a client that is given the address with a trailing slash', async () => {
    const v0 = await new ClientFactoryV0_3().createFromUrl(`${served.endpoint('echo')}/`);
    const card = await v0.getAgentCard();
    expect(card.name).toBe('echo');
  });
});

describe('which card', () => {
  it('is named by assistant_id, graph id or UUID, at every address', async () => {
    const { id } = served.parley.assistants.find(({ graphId }) => graphId === 'memory') ?? { id: '' };
    const expected = await cardAt(`${served.endpoint('memory')}/${WELL_KNOWN}`);
    expect(expected.name).toBe('memory');
    for (const name of ['memory', id]) {
      for (const url of [
        `${served.url}/${WELL_KNOWN}?assistant_id=${name}`,
        served.endpoint(name),
        `${served.endpoint(name)}/${WELL_KNOWN}`,
      ]) {
        expect(await cardAt(url)).toEqual(expected);
      }
    }
  });

  it('needs no name where there is one assistant', async () => {
    expect((await cardAt(`${single.url}/${WELL_KNOWN}`)).name).toBe('only');
  });

  it('has to be named where there are several, and the answer lists them', async () => {
    const response = await get(`${served.url}/${WELL_KNOWN}`);
    expect(response.status).toBe(400);
    expect(response.headers.get('content-type')).toMatch(/^application\/json/);
    expect(await response.json()).toEqual({
      error: {
        message: expect.stringContaining('assistant_id'),
        assistants: Object.keys(served.fixture.graphs),
      },
    });
  });

  it.each(['none', '', '__proto__', 'a"b'])('"%s" is nobody\'s', async (name) => {
    const response = await get(`${served.url}/${WELL_KNOWN}?assistant_id=${encodeURIComponent(name)}`);
    expect(response.status).toBe(404);
    expect(await response.json()).toMatchObject({
      error: { message: expect.any(String), assistants: expect.arrayContaining(['echo']) },
    });
  });

  it('is by default the one of DEFAULT_A2A_ASSISTANT_ID', async () => {
    await withServer({ env: { DEFAULT_A2A_ASSISTANT_ID: 'memory' } }, async (server) => {
      expect((await cardAt(`${server.url}/${WELL_KNOWN}`)).name).toBe('memory');
      expect((await cardAt(`${server.url}/${WELL_KNOWN}?assistant_id=echo`)).name).toBe('echo');
    });
  });
});

describe('U29: caching', () => {
  const url = (): string => `${served.endpoint('echo')}/${WELL_KNOWN}`;

  it('is told by ETag, Last-Modified, Cache-Control and Vary', async () => {
    const response = await get(url());
    expect(response.headers.get('content-type')).toBe('application/json');
    expect(response.headers.get('etag')).toMatch(/^"[\w-]{16,}"$/);
    expect(response.headers.get('cache-control')).toMatch(/max-age=\d+/);
    expect(response.headers.get('vary')?.toLowerCase()).toContain('a2a-version');
    expect(Date.parse(response.headers.get('last-modified') ?? '')).toBeLessThanOrEqual(Date.now());
  });

  it('knows a card by its ETag: the same card, the same tag; another shape or assistant, another tag', async () => {
    const tag = async (address: string, headers: Headers = {}): Promise<string> =>
      (await get(address, headers)).headers.get('etag') ?? '';
    const first = await tag(url());
    expect(await tag(url())).toBe(first);
    expect(await tag(url(), { 'A2A-Version': '1.0' })).not.toBe(first);
    expect(await tag(`${served.endpoint('memory')}/${WELL_KNOWN}`)).not.toBe(first);
  });

  it('answers 304 without a body to a tag that still holds', async () => {
    const tag = (await get(url())).headers.get('etag') ?? '';
    for (const sent of [tag, `W/${tag}`, `"old", ${tag}`, `"old",${tag} , "x"`, '*']) {
      const response = await get(url(), { 'If-None-Match': sent });
      expect(response.status).toBe(304);
      expect(await response.text()).toBe('');
      expect(response.headers.get('etag')).toBe(tag);
      expect(response.headers.get('vary')?.toLowerCase()).toContain('a2a-version');
    }
    for (const [sent, version] of [
      ['"old"', ''],
      [tag.replaceAll('"', ''), ''],
      [tag, '1.0'],
    ] as const) {
      const response = await get(url(), {
        'If-None-Match': sent,
        ...(version ? { 'A2A-Version': version } : {}),
      });
      expect(response.status).toBe(200);
      await response.text();
    }
  });

  it('HEAD has the headers of GET and no body', async () => {
    const full = await get(url());
    const head = await get(url(), {}, 'HEAD');
    expect(head.status).toBe(200);
    expect(await head.text()).toBe('');
    for (const name of ['etag', 'content-type', 'cache-control', 'last-modified', 'vary']) {
      expect(head.headers.get(name)).toBe(full.headers.get(name));
    }
    const tag = full.headers.get('etag') ?? '';
    expect((await get(url(), { 'If-None-Match': tag }, 'HEAD')).status).toBe(304);
    expect((await get(`${served.url}/${WELL_KNOWN}?assistant_id=none`, {}, 'HEAD')).status).toBe(404);
  });
});

describe('U28: the URL in a card', () => {
  const raw = async (server: Served, host: string, headers: string[] = []): Promise<Fields> => {
    const lines = [
      `GET /a2a/echo/${WELL_KNOWN} HTTP/1.1`,
      `Host: ${host}`,
      'Connection: close',
      ...headers,
      '',
      '',
    ];
    return JSON.parse(parseAnswer(await exchange(server.url, lines.join('\r\n'))).body);
  };
  const forwarded = [
    'X-Forwarded-Host: agents.example.com, inner',
    'X-Forwarded-Proto: https',
    'X-Forwarded-Prefix: /base',
  ];

  it('is the host of the request, never an address that means any', async () => {
    expect((await raw(served, 'agents.local:8080')).url).toBe('http://agents.local:8080/a2a/echo');
    expect((await raw(served, '0.0.0.0:2024')).url).toBe('http://localhost:2024/a2a/echo');
    expect((await raw(served, '0.0.0.0')).url).toBe('http://localhost/a2a/echo');
    expect((await raw(served, '[::]:2024')).url).toBe('http://localhost:2024/a2a/echo');
    expect((await raw(served, '[::1]:2024')).url).toBe('http://[::1]:2024/a2a/echo');
    expect((await raw(served, '10.0.0.0:1')).url).toBe('http://10.0.0.0:1/a2a/echo');
  });

  it('does not follow forwarded headers of strangers', async () => {
    expect((await raw(served, 'h:1', forwarded)).url).toBe('http://h:1/a2a/echo');
  });

  it('follows forwarded headers of a proxy of ours, in every interface', async () => {
    await withServer({ a2a: { trustProxy: true } }, async (server) => {
      const card = await raw(server, 'h:1', forwarded);
      const expected = 'https://agents.example.com/base/a2a/echo';
      expect([card.url, ...card.supportedInterfaces.map(({ url }: Fields) => url)]).toEqual([
        expected,
        expected,
        expected,
      ]);
      expect((await raw(server, 'h:1')).url).toBe('http://h:1/a2a/echo');
      for (const host of ['a b', 'a/b', 'user@evil', 'x:port', '']) {
        expect((await raw(server, 'h:1', [`X-Forwarded-Host: ${host}`])).url).toBe('http://h:1/a2a/echo');
      }
      for (const prefix of ['base', '.evil.example', '/a?b', '']) {
        expect((await raw(server, 'h:1', [`X-Forwarded-Prefix: ${prefix}`])).url).toBe('http://h:1/a2a/echo');
      }
      for (const proto of ['javascript', 'ht tp', '']) {
        expect((await raw(server, 'h:1', [`X-Forwarded-Proto: ${proto}`])).url).toBe('http://h:1/a2a/echo');
      }
    });
  });

  it.each(['https://agents.example.com/base', 'https://agents.example.com/base/'])(
    'is publicUrl (%s) before everything else',
    async (publicUrl) => {
      await withServer({ a2a: { publicUrl, trustProxy: true } }, async (server) => {
        const card = await raw(server, 'h:1', ['X-Forwarded-Host: other']);
        expect(card.url).toBe('https://agents.example.com/base/a2a/echo');
        expect(card.supportedInterfaces[0].url).toBe(card.url);
      });
    },
  );
});

describe('what a card says', () => {
  it('as description is the setting, else the one of langgraph.json, else one derived from the graph', async () => {
    const options = {
      descriptions: { echo: 'from langgraph.json', memory: 'from langgraph.json' },
      a2a: { assistants: { memory: { description: 'from a2a' } } },
    };
    await withServer(options, async (server) => {
      expect((await echoCard({}, server)).description).toBe('from langgraph.json');
      expect((await echoCard({}, server)).skills[0].description).toBe('from langgraph.json');
      expect((await cardAt(server.endpoint('memory'))).description).toBe('from a2a');
    });
    expect((await echoCard()).description).toContain('echo');
  });

  it('is what a2a.assistants.<graph> says, field by field', async () => {
    const skills = [
      {
        id: 's',
        name: 'S',
        description: 'does s',
        tags: ['t'],
        examples: ['do s'],
        inputModes: ['text/markdown'],
      },
    ];
    const assistants = {
      echo: {
        name: 'Echo',
        version: '9.9',
        skills,
        extensions: [{ uri: 'urn:x', description: 'x', required: false, params: { deep: { er: [1] } } }],
        provider: { organization: 'Org', url: 'https://org.example' },
        documentation_url: 'https://docs.example/',
        icon_url: 'https://icon.example/i.png',
        input_modes: ['text/markdown'],
        output_modes: ['application/json'],
      },
    };
    await withServer({ a2a: { assistants } }, async (server) => {
      for (const version of ['1.0', '0.3']) {
        expect(await echoCard({ 'A2A-Version': version }, server)).toMatchObject({
          name: 'Echo',
          version: '9.9',
          skills,
          provider: { organization: 'Org', url: 'https://org.example' },
          documentationUrl: 'https://docs.example/',
          iconUrl: 'https://icon.example/i.png',
          defaultInputModes: ['text/markdown'],
          defaultOutputModes: ['application/json'],
          capabilities: {
            extensions: [
              HISTORY_SCOPE,
              { uri: 'urn:x', description: 'x', required: false, params: { deep: { er: [1] } } },
            ],
          },
        });
      }
      expectShape(agentCardSchema, await echoCard({ 'A2A-Version': '1.0' }, server));
      expect((await cardAt(server.endpoint('memory'))).name).toBe('memory');
    });
  });

  it('of modes goes to the derived skill as well', async () => {
    await withServer(
      { a2a: { assistants: { echo: { input_modes: ['image/png'], output_modes: ['text/html'] } } } },
      async (server) => {
        const card = await echoCard({}, server);
        expect(card.skills).toMatchObject([{ inputModes: ['image/png'], outputModes: ['text/html'] }]);
      },
    );
  });
});
