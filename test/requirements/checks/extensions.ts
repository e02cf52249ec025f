import { expect } from 'vitest';
import { COMPLETED, message, refused } from '../ask.ts';
import type { Checks } from '../check.ts';
import type { Peer } from '../peer.ts';
import type { Operation } from '../wires/wire.ts';

const HISTORY_SCOPE = 'https://langchain.com/a2a/extensions/history-scope/v1';
const REQUIRED = 'urn:a2a:tck:required-extension';
const NAMES = ['A2A-Extensions', 'X-A2A-Extensions'];
const MISSING = { code: -32008, reason: 'EXTENSION_SUPPORT_REQUIRED' };

/** What the agent saw of the extensions that were asked for, and what the answer says of them. */
async function activated(
  peer: Peer,
  value: string,
  name = 'A2A-Extensions',
): Promise<{ seen: string[]; echoed: string | null }> {
  const answer = await peer.call('SendMessage', { message: message('own-show-turn') }, { [name]: value });
  const { extensions } = answer.result.task.artifacts[0].parts[0].data;
  return { seen: extensions, echoed: answer.headers.get(name) };
}

export const extensions: Checks = {
  'JSONRPC-SVC-002': async (peer) => {
    for (const name of NAMES)
      expect((await activated(peer, HISTORY_SCOPE, name)).seen).toEqual([HISTORY_SCOPE]);
  },

  'EXT-LIST': async (peer) => {
    const value = `urn:nobody:knows , ${HISTORY_SCOPE},,urn:another`;
    for (const name of ['A2A-Extensions', 'a2a-extensions', 'A2A-EXTENSIONS']) {
      expect((await activated(peer, value, name)).seen).toEqual([HISTORY_SCOPE]);
    }
  },

  'EXT-UNKNOWN': async (peer) => {
    const { seen, echoed } = await activated(peer, 'urn:nobody:knows');
    expect([seen, echoed]).toEqual([[], null]);
  },

  'EXT-EVERY-OPERATION': async (peer) => {
    const requiring = peer.under('required-extension');
    const id = { id: 'x' };
    const calls: [Operation, object][] = [
      ['SendMessage', { message: message('x') }],
      ['SendStreamingMessage', { message: message('x') }],
      ['GetTask', id],
      ['CancelTask', id],
      ['SubscribeToTask', id],
      ['GetExtendedAgentCard', {}],
      ['ListTaskPushNotificationConfigs', { taskId: 'x' }],
    ];
    if (peer.version === '1.0') calls.push(['ListTasks', {}]);
    for (const [operation, params] of calls) await refused(requiring, operation, params, MISSING);
  },

  'EXT-REQUIRED-MET': async (peer) => {
    const { result, headers } = await peer
      .under('required-extension')
      .call('SendMessage', { message: message('tck-complete-task') }, { 'A2A-Extensions': REQUIRED });
    expect(result.task.status.state).toBe(COMPLETED);
    expect(headers.get('A2A-Extensions')).toBe(REQUIRED);
  },

  'EXT-NO-FALLBACK': async (peer) => {
    const { seen, echoed } = await activated(peer, HISTORY_SCOPE.replace(/v1$/, 'v2'));
    expect([seen, echoed]).toEqual([[], null]);
    const params = { message: message('tck-complete-task') };
    const newer = { 'A2A-Extensions': `${REQUIRED}/v2` };
    await refused(peer.under('required-extension'), 'SendMessage', params, MISSING, newer);
  },

  'EXT-ACTIVE': async (peer) => {
    for (const name of NAMES) {
      const { echoed } = await activated(peer, `${HISTORY_SCOPE}, urn:nobody:knows`, name);
      expect(echoed).toBe(HISTORY_SCOPE);
      const body = peer.request('SendStreamingMessage', { message: message('tck-stream-001') });
      const { headers } = await peer.post(body, { [name]: HISTORY_SCOPE });
      expect(headers.get(name)).toBe(HISTORY_SCOPE);
    }
  },

  'EXT-CONTRIBUTED': async (peer) => {
    for (const [value, named] of [
      [HISTORY_SCOPE, { extensions: [HISTORY_SCOPE] }],
      ['urn:nobody:knows', {}],
    ] as const) {
      const headers = { 'A2A-Extensions': value };
      const { result } = await peer.call('SendMessage', { message: message('own-extended') }, headers);
      const { artifacts, status } = result.task;
      expect(artifacts[0]).toEqual({
        artifactId: expect.any(String),
        parts: [{ text: 'extended' }],
        ...named,
      });
      expect(status.message.extensions).toEqual(named.extensions);
    }
  },

  'EXT-CARD': async (peer) => {
    const { endpoint } = peer.under('required-extension');
    const response = await fetch(endpoint, { headers: { 'A2A-Version': peer.version } });
    const { capabilities } = (await response.json()) as { capabilities: { extensions: object[] } };
    expect(capabilities.extensions).toEqual([
      expect.objectContaining({ uri: HISTORY_SCOPE }),
      expect.objectContaining({ uri: REQUIRED, required: true }),
    ]);
  },
};
