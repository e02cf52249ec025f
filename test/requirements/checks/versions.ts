import { expect } from 'vitest';
import { connect } from '../../../packages/server/src/cli/client.ts';
import { COMPLETED, collect, message, refused, send, streamOf } from '../ask.ts';
import type { Checks } from '../check.ts';
import type { Peer, RequestHeaders } from '../peer.ts';
import { recordingProxy } from '../recording-proxy.ts';
import type { Operation } from '../wires/wire.ts';

const header = (version: string): RequestHeaders => ({ 'A2A-Version': version });
const REFUSED = { code: -32009, reason: 'VERSION_NOT_SUPPORTED' };
const OTHER = { '1.0': '0.3', '0.3': '1.0' } as const;

function everyOperation(peer: Peer): Operation[] {
  const all: Operation[] = [
    'SendMessage',
    'SendStreamingMessage',
    'GetTask',
    'CancelTask',
    'SubscribeToTask',
  ];
  const more: Operation[] = ['GetExtendedAgentCard', 'ListTaskPushNotificationConfigs'];
  return [...all, ...more, ...(peer.version === '1.0' ? (['ListTasks'] as const) : [])];
}

/** The state of the task that answers a message whose headers are these alone. */
async function answerOf(peer: Peer, headers: RequestHeaders, query = ''): Promise<unknown> {
  const body = peer.request('SendMessage', { message: message('tck-complete-task') });
  const response = await fetch(`${peer.endpoint}${query}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });
  const { result, error } = (await response.json()) as { [key: string]: { [key: string]: unknown } };
  return error?.code ?? ((result?.task ?? result) as { status: { state: string } }).status.state;
}

const completed = (peer: Peer): string => (peer.version === '1.0' ? COMPLETED : 'completed');

export const versions: Checks = {
  'VER-CLIENT-001': async (peer) => {
    const proxy = await recordingProxy(peer.endpoint);
    try {
      const client = await connect(proxy.url, {});
      await client.listTasks({
        tenant: '',
        contextId: '',
        pageToken: '',
        status: 0,
        statusTimestampAfter: undefined,
      });
      expect(proxy.seen.map((headers) => headers['a2a-version'])).toEqual(['1.0', '1.0']);
    } finally {
      await proxy.close();
    }
  },

  'VER-CLIENT-002': async (peer) => {
    for (const version of [`${peer.version}.0`, `${peer.version}.7`, `${peer.version}.99`]) {
      expect(await answerOf(peer, header(version))).toBe(completed(peer));
    }
  },

  'VER-SERVER-001': async (peer) => {
    const strange = OTHER[peer.version] === '1.0' ? /"TASK_STATE_|"ROLE_/ : /"kind":|"final":/;
    for (const operation of ['SendMessage', 'SendStreamingMessage'] as const) {
      const body = peer.request(operation, { message: message('tck-artifact-file') });
      const { text } = await peer.post(body, header(peer.version));
      expect(text).not.toMatch(strange);
      expect(text).not.toContain('"error"');
    }
  },

  'VER-SERVER-002': async (peer) => {
    for (const version of ['99.0', '2.0', '0.1', '1', 'latest']) {
      const params = { message: message('tck-complete-task') };
      await refused(peer, 'SendMessage', params, REFUSED, header(version));
    }
  },

  'VER-SERVER-003': async (peer) => {
    const strict = peer.under('strict');
    for (const headers of [{}, header('')]) {
      expect(await answerOf(peer, headers)).toBe(completed(peer));
      expect(await answerOf(strict, headers)).toBe(peer.version === '0.3' ? 'completed' : -32009);
    }
    expect(await answerOf(strict, header(peer.version))).toBe(completed(peer));
  },

  'VER-EVERY-OPERATION': async (peer) => {
    for (const operation of everyOperation(peer)) {
      await refused(peer, operation, {}, REFUSED, header('99.0'));
      await refused(peer.under('required-extension'), operation, {}, REFUSED, header('99.0'));
      // No version is 0.3, which has none of the methods of 1.0.
      if (peer.version === '1.0') await refused(peer.under('strict'), operation, {}, REFUSED, header(''));
    }
  },

  'VER-STREAM': async (peer) => {
    const { id } = await send(peer, 'tck-input-required');
    await refused(peer, 'SubscribeToTask', { id }, REFUSED, header('99.0'));
    await refused(peer, 'SendStreamingMessage', { message: message('x') }, REFUSED, header('99.0'));
  },

  'VER-QUERY': async (peer) => {
    expect(await answerOf(peer, {}, `?A2A-Version=${peer.version}`)).toBe(completed(peer));
    expect(await answerOf(peer.under('strict'), {}, `?A2A-Version=${peer.version}`)).toBe(completed(peer));
    expect(await answerOf(peer, {}, '?A2A-Version=99.0')).toBe(-32009);
  },

  'VER-CONTRADICTION': async (peer) => {
    const params = { message: message('tck-complete-task') };
    await refused(peer, 'SendMessage', params, REFUSED, header(OTHER[peer.version]));
  },

  'VER-SHARED-URL': async (peer) => {
    const card = (await (await fetch(peer.endpoint, { headers: header('1.0') })).json()) as {
      supportedInterfaces: { url: string; protocolVersion: string }[];
    };
    const served = card.supportedInterfaces.map(({ url, protocolVersion }) => [url, protocolVersion]);
    expect(served).toEqual([
      [peer.endpoint, '1.0'],
      [peer.endpoint, '0.3'],
    ]);
    expect((await collect(streamOf(peer, 'tck-stream-001'))).length).toBeGreaterThan(1);
  },
};
