import { expect } from 'vitest';
import { connect } from '../../../packages/server/src/cli/client.ts';
import { connectV0_3, connectV1_0, type StoryClient, textOf } from '../../support/story-clients.ts';
import { collect } from '../ask.ts';
import type { Checks } from '../check.ts';
import type { Peer } from '../peer.ts';

/** Of a strict server: what the client does not say, counts. */
const clientOf = (peer: Peer): Promise<StoryClient> => {
  const { endpoint } = peer.under('strict');
  return peer.version === '1.0' ? connectV1_0(endpoint) : connectV0_3(endpoint);
};

const say = (text: string): { parts: [{ text: string }] } => ({ parts: [{ text }] });

export const clients: Checks = {
  'CLIENT-SEND': async (peer) => {
    const client = await clientOf(peer);
    const task = await client.send(say('hello'));
    expect(task.state).toBe('completed');
    expect(textOf(task.artifacts[0]?.parts ?? [])).toBe('Done');
    expect(await client.get(task.id)).toEqual(task);
  },

  'CLIENT-STREAM': async (peer) => {
    const events = await collect((await clientOf(peer)).stream(say('hello')));
    expect(events[0]?.kind).toBe('task');
    expect(events.at(-1)).toEqual({ kind: 'status', state: 'completed' });
  },

  'CLIENT-TURNS': async (peer) => {
    const client = await clientOf(peer);
    const { id, contextId } = await client.send(say('one'));
    const second = await client.send({ ...say('two'), contextId });
    expect(second.contextId).toBe(contextId);
    expect(second.id).not.toBe(id);
    expect(second.history.map(({ text }) => text)).toEqual(['one', 'Done', 'two', 'Done']);
  },

  'CLIENT-LIST': async (peer) => {
    const client = await clientOf(peer);
    const { id, contextId } = await client.send(say('one'));
    const second = await client.send({ ...say('two'), contextId });
    const first = await client.list?.({ contextId, pageSize: 1 });
    expect(first).toMatchObject({ ids: [second.id], total: 2 });
    const rest = await client.list?.({ contextId, pageSize: 1, pageToken: first?.next ?? '' });
    expect(rest).toMatchObject({ ids: [id], next: '', total: 2 });
  },

  'CLIENT-COMMAND': async (peer) => {
    const client = await connect(peer.under('strict').endpoint, {});
    await expect(client.getTask({ id: 'unknown', tenant: '' })).rejects.toThrow(/not found/i);
  },
};
