import { expect } from 'vitest';
import { snakeCaseKeys } from '../../wire/shapes.ts';
import { collect, getTask, message, send, streamOf } from '../ask.ts';
import type { Checks } from '../check.ts';
import type { Peer } from '../peer.ts';

const PREFIXES = [
  'tck-complete-task',
  'tck-artifact-text',
  'tck-artifact-file',
  'tck-artifact-file-url',
  'tck-artifact-data',
  'tck-input-required',
  'tck-auth-required',
  'tck-reject-task',
  'own-fail',
  'own-throw',
];
const FILE = { filename: 'output.txt', mediaType: 'text/plain' };

/** Answers of every kind, as they came: their shape has been checked already (peer.ts). */
async function answers(peer: Peer): Promise<unknown[]> {
  const all: unknown[] = [];
  for (const prefix of [...PREFIXES, 'tck-message-response']) {
    const { envelope } = await peer.call('SendMessage', { message: message(prefix) });
    all.push(envelope.result);
  }
  const { text } = await peer.post(
    peer.request('SendStreamingMessage', { message: message('tck-stream-artifact-chunked') }),
  );
  const events = text.split('\n').filter((line) => line.startsWith('data: '));
  return [...all, ...events.map((line) => JSON.parse(line.slice(6)) as unknown)];
}

/** Every value under this key, at any depth. */
function valuesOf(key: string, value: unknown): unknown[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, member]) => [
    ...(name === key ? [member] : []),
    ...valuesOf(key, member),
  ]);
}

async function artifactParts(peer: Peer, kind: string): Promise<unknown> {
  const { id, artifacts } = await send(peer, `tck-artifact-${kind}`);
  expect(artifacts).toHaveLength(1);
  expect((await getTask(peer, id)).artifacts).toEqual(artifacts);
  return artifacts[0].parts;
}

export const dataModel: Checks = {
  'DM-TASK-001': async (peer) => {
    for (const prefix of PREFIXES) {
      const task = await send(peer, prefix);
      expect([typeof task.id, typeof task.contextId, typeof task.status.state]).toEqual(
        Array.from({ length: 3 }, () => 'string'),
      );
    }
  },

  'DM-TASK-002': async (peer) => {
    const states = valuesOf('state', await answers(peer));
    const form = peer.version === '1.0' ? /^TASK_STATE_[A-Z_]+$/ : /^[a-z]+(?:-[a-z]+)?$/;
    expect(states.length).toBeGreaterThan(PREFIXES.length);
    for (const state of states) expect(state).toMatch(form);
  },

  'DM-MSG-001': async (peer) => {
    const { result } = await peer.call('SendMessage', { message: message('tck-message-response') });
    expect(result.message).toMatchObject({ messageId: expect.any(String), role: 'ROLE_AGENT' });
    expect(result.message.parts).toEqual([{ text: 'Direct message response' }]);
  },

  'DM-MSG-002': async (peer) => {
    const roles = new Set(valuesOf('role', await answers(peer)));
    const [user, agent] = peer.version === '1.0' ? ['ROLE_USER', 'ROLE_AGENT'] : ['user', 'agent'];
    expect([...roles].sort()).toEqual([user, agent].sort());
  },

  'DM-PART-001': async (peer) => {
    const parts = valuesOf('parts', await answers(peer)).flat() as object[];
    const contents = peer.version === '1.0' ? ['text', 'raw', 'url', 'data'] : ['text', 'file', 'data'];
    for (const part of parts) {
      expect(Object.keys(part).filter((key) => contents.includes(key))).toHaveLength(1);
    }
  },

  'DM-ART-001': async (peer) => {
    const artifacts = valuesOf('artifacts', await answers(peer)).flat() as { [key: string]: unknown }[];
    expect(artifacts.length).toBeGreaterThan(0);
    for (const { artifactId, parts } of artifacts) {
      expect(artifactId).toMatch(/\S/);
      expect(parts).not.toEqual([]);
    }
  },

  'DM-ART-TEXT': async (peer) => {
    expect(await artifactParts(peer, 'text')).toEqual([{ text: 'Generated text content' }]);
  },

  'DM-ART-FILE': async (peer) => {
    const raw = Buffer.from('file content\n').toString('base64');
    expect(await artifactParts(peer, 'file')).toEqual([{ ...FILE, raw }]);
    const [, ...events] = await collect(streamOf(peer, 'tck-stream-artifact-file'));
    const update = events.find(({ artifactUpdate }) => artifactUpdate)?.artifactUpdate;
    expect(update.artifact.parts).toEqual([{ ...FILE, raw }]);
  },

  'DM-ART-URL': async (peer) => {
    const url = 'https://example.com/output.txt';
    expect(await artifactParts(peer, 'file-url')).toEqual([{ ...FILE, url }]);
  },

  'DM-ART-DATA': async (peer) => {
    expect(await artifactParts(peer, 'data')).toEqual([{ data: { key: 'value', count: 42 } }]);
  },

  'DM-STATUS-001': async (peer) => {
    const statuses = valuesOf('status', await answers(peer)) as object[];
    expect(statuses.length).toBeGreaterThan(PREFIXES.length);
    for (const status of statuses) expect(status).toHaveProperty('state');
  },

  'DM-SERIAL-001': async (peer) => {
    expect(snakeCaseKeys(await answers(peer))).toEqual([]);
  },

  'DM-SERIAL-002': async (peer) => {
    const all = await answers(peer);
    for (const value of [...valuesOf('state', all), ...valuesOf('role', all)])
      expect(value).toBeTypeOf('string');
  },

  'DM-SERIAL-003': async (peer) => {
    const times = valuesOf('timestamp', await answers(peer));
    expect(times.length).toBeGreaterThan(PREFIXES.length);
    for (const time of times) expect(time).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z$/);
  },

  'WIRE-MILLISECONDS': async (peer) => {
    const times = valuesOf('timestamp', await answers(peer));
    for (const time of times) expect(time).toMatch(/\.\d{3}Z$/);
  },

  'DM-SERIAL-004': async (peer) => {
    for (const one of valuesOf('history', await answers(peer)).flat() as { [key: string]: unknown }[]) {
      expect(one).toMatchObject({ messageId: expect.any(String), role: expect.any(String) });
      expect(one.parts).not.toEqual([]);
    }
  },
};
