import { expect } from 'vitest';
import { message, refused, send } from '../ask.ts';
import type { Checks } from '../check.ts';
import { wireV0_3 } from '../wires/v0_3.ts';
import { wireV1_0 } from '../wires/v1_0.ts';

const UNKNOWN = '00000000-0000-7000-8000-000000000000';

export const jsonRpc: Checks = {
  'JSONRPC-FMT-001': async (peer) => {
    const { id } = await send(peer, 'tck-complete-task');
    const good = await peer.call('GetTask', { id });
    expect(Object.keys(good.envelope).sort()).toEqual(['id', 'jsonrpc', 'result']);
    const bad = await peer.call('GetTask', { id: UNKNOWN });
    expect(Object.keys(bad.envelope).sort()).toEqual(['error', 'id', 'jsonrpc']);
    for (const { envelope } of [good, bad]) expect(envelope.jsonrpc).toBe('2.0');
  },

  'JSONRPC-FMT-002': async (peer) => {
    const good = await peer.call('SendMessage', { message: message('tck-complete-task') });
    const bad = await peer.call('GetTask', { id: UNKNOWN });
    for (const { headers } of [good, bad]) expect(headers.get('content-type')).toBe('application/json');
  },

  'JSONRPC-SVC-001': async (peer) => {
    const { methods } = peer.version === '1.0' ? wireV1_0 : wireV0_3;
    for (const method of Object.values(methods)) {
      const { text } = await peer.post({ jsonrpc: '2.0', id: 1, method, params: {} });
      const { error } = JSON.parse(text) as { error?: { code: number } };
      expect(error?.code, method).not.toBe(-32601);
    }
  },

  'JSONRPC-ID': async (peer) => {
    for (const id of [0, 7, -1, 'text', '', '7', 'ünusual "id"']) {
      for (const params of [{ id: UNKNOWN }, {}]) {
        const { text } = await peer.post(peer.request('GetTask', params, id));
        expect((JSON.parse(text) as { id: unknown }).id).toBe(id);
      }
    }
  },

  'JSONRPC-SLASH': async (peer) => {
    for (const url of [peer.endpoint, `${peer.endpoint}/`]) {
      const response = await fetch(url, {
        method: 'POST',
        redirect: 'error',
        headers: { 'content-type': 'application/json', 'A2A-Version': peer.version },
        body: JSON.stringify(peer.request('GetTask', { id: UNKNOWN })),
      });
      expect(await response.json()).toHaveProperty('error.code', -32001);
    }
  },

  'JSONRPC-BODY-TYPE': async (peer) => {
    const params = { message: message('tck-complete-task') };
    for (const type of ['text/plain', 'application/x-www-form-urlencoded']) {
      await refused(peer, 'SendMessage', params, { code: -32005 }, { 'content-type': type });
    }
  },
};
