import { agentCardSchema } from '@parley/protocol';
import { expect } from 'vitest';
import { expectShape } from '../../wire/shapes.ts';
import { message } from '../ask.ts';
import type { Checks } from '../check.ts';
import type { Peer } from '../peer.ts';

interface Card {
  [key: string]: unknown;
  supportedInterfaces: {
    [key: string]: unknown;
    url: string;
    protocolBinding: string;
    protocolVersion: string;
  }[];
  defaultInputModes: string[];
  defaultOutputModes: string[];
  skills: { [key: string]: unknown; inputModes?: string[]; outputModes?: string[] }[];
}

const WELL_KNOWN = '/.well-known/agent-card.json';

async function cardOf(peer: Peer): Promise<Card> {
  return (await (await fetch(`${peer.endpoint}${WELL_KNOWN}`)).json()) as Card;
}

async function headersOf(peer: Peer, init: RequestInit = {}): Promise<Headers> {
  return (await fetch(`${peer.endpoint}${WELL_KNOWN}`, init)).headers;
}

/** Every list in a card, at any depth. */
function listsIn(value: unknown): unknown[][] {
  if (typeof value !== 'object' || value === null) return [];
  return [...(Array.isArray(value) ? [value] : []), ...Object.values(value).flatMap(listsIn)];
}

export const cards: Checks = {
  'CARD-DISC-001': async (peer) => {
    const { origin } = new URL(peer.endpoint);
    const card = await cardOf(peer);
    const urls = [`${origin}${WELL_KNOWN}`, peer.endpoint, `${peer.endpoint}/`];
    for (const url of [...urls, `${origin}${WELL_KNOWN}?assistant_id=conformance`]) {
      const response = await fetch(url);
      expect(response.status).toBe(200);
      expect(response.headers.get('content-type')).toMatch(/^application\/json/);
      expect(await response.json()).toEqual(card);
    }
  },

  'CARD-STRUCT-001': async (peer) => {
    for (const configuration of ['min', 'full', 'required-extension'] as const) {
      const card = await cardOf(peer.under(configuration));
      expectShape(agentCardSchema, card);
      const needed = ['name', 'description', 'version', 'capabilities', 'skills', 'supportedInterfaces'];
      for (const key of [...needed, 'defaultInputModes', 'defaultOutputModes'])
        expect(card).toHaveProperty(key);
    }
  },

  'CARD-PROTO-001': async (peer) => {
    for (const one of (await cardOf(peer)).supportedInterfaces) {
      expect(one.protocolBinding).toMatch(/^\S+$/);
      expect(one.protocolVersion).toMatch(/^\d+\.\d+$/);
    }
  },

  'CARD-PROTO-002': async (peer) => {
    const [first] = (await cardOf(peer)).supportedInterfaces;
    const response = await fetch(first?.url ?? '', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(peer.request('SendMessage', { message: message('tck-complete-task') })),
    });
    expect(await response.json()).toHaveProperty('result.task');
  },

  'BIND-FIELD-001': async (peer) => {
    const bindings = (await cardOf(peer)).supportedInterfaces.map(({ protocolBinding }) => protocolBinding);
    expect(bindings).toEqual(['JSONRPC', 'JSONRPC']);
  },

  'CARD-NOT-EMPTY': async (peer) => {
    const { supportedInterfaces, skills, defaultInputModes, defaultOutputModes } = await cardOf(peer);
    for (const list of [supportedInterfaces, skills, defaultInputModes, defaultOutputModes]) {
      expect(list.length).toBeGreaterThan(0);
    }
  },

  'CARD-PRESENCE': async (peer) => {
    for (const list of listsIn(await cardOf(peer))) expect(list).not.toEqual([]);
  },

  'CARD-MODES': async (peer) => {
    const { defaultInputModes, defaultOutputModes, skills } = await cardOf(peer);
    const ofSkills = skills.flatMap(({ inputModes = [], outputModes = [] }) => [
      ...inputModes,
      ...outputModes,
    ]);
    for (const mode of [...defaultInputModes, ...defaultOutputModes, ...ofSkills]) {
      expect(mode).toMatch(/^[\w*.+-]+\/[\w*.+-]+$/);
    }
  },

  'CARD-CACHE-001': async (peer) => {
    expect((await headersOf(peer)).get('cache-control')).toMatch(/max-age=\d+/);
  },

  'CARD-CACHE-002': async (peer) => {
    const tag = (await headersOf(peer)).get('etag');
    expect(tag).toMatch(/^"[^"]+"$/);
    expect((await headersOf(peer)).get('etag')).toBe(tag);
    expect((await headersOf(peer.under('full'))).get('etag')).not.toBe(tag);
  },

  'CARD-CACHE-003': async (peer) => {
    const changed = (await headersOf(peer)).get('last-modified') ?? '';
    expect(Date.parse(changed)).not.toBeNaN();
  },

  'CARD-UNCHANGED': async (peer) => {
    const tag = (await headersOf(peer)).get('etag') ?? '';
    for (const value of [tag, `"other", ${tag}`, `W/${tag}`]) {
      const response = await fetch(`${peer.endpoint}${WELL_KNOWN}`, { headers: { 'if-none-match': value } });
      expect([response.status, await response.text(), response.headers.get('etag')]).toEqual([304, '', tag]);
    }
    const response = await fetch(`${peer.endpoint}${WELL_KNOWN}`, {
      headers: { 'if-none-match': '"other"' },
    });
    expect(response.status).toBe(200);
  },

  'CARD-HEAD': async (peer) => {
    const response = await fetch(`${peer.endpoint}${WELL_KNOWN}`, { method: 'HEAD' });
    expect([response.status, await response.text()]).toEqual([200, '']);
    expect(response.headers.get('etag')).toBe((await headersOf(peer)).get('etag'));
  },

  'CARD-V0_3': async (peer) => {
    const response = await fetch(`${peer.endpoint}${WELL_KNOWN}`, { headers: { 'A2A-Version': '0.3' } });
    expect(await response.json()).toMatchObject({
      url: peer.endpoint,
      protocolVersion: expect.stringMatching(/^0\.3/),
      preferredTransport: 'JSONRPC',
    });
  },
};
