import { join } from 'node:path';
import { pino } from 'pino';
import { describe, expect, it } from 'vitest';
import { loadConfig } from '../../packages/server/src/config/load-config.ts';
import { createServer } from '../../packages/server/src/create-server.ts';
import { loadAgents } from '../../packages/server/src/langgraph/load-agents.ts';
import { call, type Fields, userMessage } from '../wire/rpc.ts';
import { behaviourOf } from './behaviours.ts';

const HEADERS = { 'content-type': 'application/json', 'A2A-Version': '1.0' };
const REQUIRED = { 'A2A-Extensions': 'urn:a2a:tck:required-extension' };

describe.each(['min', 'full', 'required-extension'])('the configuration %s', (name) => {
  it('serves the agent with a card of 1.0', async () => {
    const config = loadConfig(join(import.meta.dirname, name, 'langgraph.json'));
    const parley = await createServer({
      agents: await loadAgents(config),
      settings: config.a2a,
      http: config.http,
      database: ':memory:',
      env: {},
      logger: pino({ level: 'silent' }),
    });
    try {
      const { url } = await parley.listen({ port: 0, host: '127.0.0.1' });
      const endpoint = `${url}/a2a/conformance`;
      const card = (await (await fetch(`${endpoint}/.well-known/agent-card.json`)).json()) as Fields;
      expect(card).not.toHaveProperty('url');
      expect(card.supportedInterfaces[0]).toMatchObject({ url: endpoint, protocolVersion: '1.0' });
      const message = userMessage('hi', { messageId: 'tck-artifact-data-1' });
      const send = async (headers: { [name: string]: string }): Promise<Fields> => {
        const body = JSON.stringify(call('SendMessage', { message }));
        return (await (await fetch(endpoint, { method: 'POST', headers, body })).json()) as Fields;
      };
      const { result } = await send({ ...HEADERS, ...REQUIRED });
      expect(result.task.artifacts[0].parts).toEqual([{ data: { key: 'value', count: 42 } }]);
      expect((await send(HEADERS)).error?.code).toBe(name === 'required-extension' ? -32008 : undefined);
    } finally {
      await parley.close(0);
    }
  });
});

describe('the id of a message', () => {
  it('means what its longest prefix means', () => {
    const of = ['tck-artifact-file-url-1', 'tck-artifact-file-1', 'tck-artifact-text-1'].map(behaviourOf);
    expect(new Set(of).size).toBe(3);
    expect(behaviourOf('tck-artifact-file-other')).toBe(behaviourOf('tck-artifact-file'));
  });

  it('that means nothing is answered', async () => {
    for (const id of ['', 'tck', 'tck-dm-test-001', 'constructor', '__proto__']) {
      expect(await behaviourOf(id)({} as never, () => Promise.resolve())).toBe('Done');
    }
  });
});
