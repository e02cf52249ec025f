import { expect } from 'vitest';
import {
  COMPLETED,
  collect,
  INPUT_REQUIRED,
  message,
  next,
  send,
  stateOf,
  streamOf,
  WORKING,
} from '../ask.ts';
import type { Checks } from '../check.ts';
import type { Event } from '../peer.ts';

const ENDS = ['COMPLETED', 'FAILED', 'CANCELED', 'REJECTED'].map((state) => `TASK_STATE_${state}`);
const kinds = (events: Event[]): (string | undefined)[] => events.map((event) => Object.keys(event)[0]);
const rank = (state: string | undefined): number =>
  state === 'TASK_STATE_SUBMITTED' ? 0 : ENDS.includes(state ?? '') ? 2 : 1;

/** Streams of messages; subscriptions are in subscribe.ts. */
export const stream: Checks = {
  'CORE-STREAM-001': async (peer) => {
    const events = await collect(streamOf(peer, 'tck-stream-001'));
    expect(events.length).toBeGreaterThan(0);
  },

  'CORE-STREAM-002': async (peer) => {
    const events = await collect(streamOf(peer.under('full'), 'tck-message-response'));
    expect(kinds(events)).toEqual(['message']);
    expect(events[0]?.message.parts).toEqual([{ text: 'Direct message response' }]);
  },

  'CORE-STREAM-003': async (peer) => {
    for (const prefix of ['tck-stream-002', 'tck-stream-003', 'own-fail', 'tck-reject-task']) {
      const events = await collect(streamOf(peer, prefix));
      expect(kinds(events)[0]).toBe('task');
      expect(ENDS).toContain(stateOf(events.at(-1)));
    }
  },

  'STREAM-ONE-TASK': async (peer) => {
    const [first, ...rest] = kinds(await collect(streamOf(peer, 'tck-stream-artifact-chunked')));
    expect(first).toBe('task');
    for (const kind of rest) expect(kind).toMatch(/Update$/);
  },

  'STREAM-IDS': async (peer) => {
    const [first, ...updates] = await collect(streamOf(peer, 'tck-stream-artifact-text'));
    for (const update of updates) {
      const { taskId, contextId } = update.statusUpdate ?? update.artifactUpdate;
      expect([taskId, contextId]).toEqual([first?.task.id, first?.task.contextId]);
    }
  },

  'STREAM-CLOSES-ON-INPUT': async (peer) => {
    const events = await collect(streamOf(peer, 'tck-input-required'));
    expect(stateOf(events.at(-1))).toBe(INPUT_REQUIRED);
  },

  'STREAM-OPEN-ON-AUTH': async (peer) => {
    const events = streamOf(peer, 'tck-auth-required');
    const { task } = await next(events);
    let state: string | undefined;
    while (state !== 'TASK_STATE_AUTH_REQUIRED') state = stateOf(await next(events));
    await send(peer, 'tck-complete-task', { taskId: task.id });
    expect(stateOf((await collect(events)).at(-1))).toBe(COMPLETED);
  },

  'STREAM-CHUNKS': async (peer) => {
    const events = await collect(streamOf(peer, 'tck-stream-artifact-chunked'));
    const chunks = events.flatMap(({ artifactUpdate }) => (artifactUpdate ? [artifactUpdate] : []));
    expect(chunks.map(({ artifact }) => [artifact.artifactId, artifact.parts[0].text])).toEqual([
      ['chunked', 'chunk-1 '],
      ['chunked', 'chunk-2'],
    ]);
    expect([chunks[0]?.append ?? false, chunks[1]?.append]).toEqual([false, true]);
    expect([chunks[0]?.lastChunk ?? false, chunks[1]?.lastChunk]).toEqual([false, true]);
  },

  'STREAM-CHUNKS-MERGED': async (peer) => {
    const [first] = await collect(streamOf(peer, 'tck-stream-artifact-chunked'));
    const { result } = await peer.call('GetTask', { id: first?.task.id });
    expect(result.artifacts).toHaveLength(1);
    const texts = result.artifacts[0].parts.map(({ text }: { text: string }) => text);
    expect(texts.join('')).toBe('chunk-1 chunk-2');
  },

  'STREAM-HANG-UP': async (peer) => {
    peer.gates.hold('pause');
    const events = streamOf(peer, 'own-pause');
    const { task } = await next(events);
    await peer.gates.reached('pause');
    const other = peer.stream('SubscribeToTask', { id: task.id });
    await next(other);
    await events.return();
    peer.gates.open('pause');
    expect(stateOf((await collect(other)).at(-1))).toBe(COMPLETED);
  },

  'STREAM-LIVE': async (peer) => {
    peer.gates.hold('pause');
    const events = streamOf(peer, 'own-pause');
    let event = await next(events);
    while (!event.artifactUpdate) event = await next(events);
    expect(event.artifactUpdate.artifact.artifactId).toBe('before');
    peer.gates.open('pause');
    expect(stateOf((await collect(events)).at(-1))).toBe(COMPLETED);
  },

  'STREAM-ORDER-001': async (peer) => {
    const events = await collect(streamOf(peer, 'tck-stream-ordering-001'));
    const states = events.map(stateOf).filter((state) => state !== undefined);
    const ranks = states.map(rank);
    expect(ranks).toEqual([...ranks].sort());
    expect(states).toContain(WORKING);
    expect(ENDS).toContain(states.at(-1));
    expect(kinds(events).indexOf('artifactUpdate')).toBeGreaterThan(0);
  },

  'JSONRPC-SSE-001': async (peer) => {
    for (const id of ['text', 7]) {
      const body = peer.request('SendStreamingMessage', { message: message('tck-stream-001') }, id);
      const { headers, text } = await peer.post(body);
      expect(headers.get('content-type')).toMatch(/^text\/event-stream/);
      const events = text.split('\n').filter((line) => line.startsWith('data: '));
      expect(events.length).toBeGreaterThan(1);
      for (const line of events) {
        const envelope = JSON.parse(line.slice(6)) as { [key: string]: unknown };
        expect(Object.keys(envelope).sort()).toEqual(['id', 'jsonrpc', 'result']);
        expect([envelope.jsonrpc, envelope.id]).toEqual(['2.0', id]);
      }
    }
  },

  'STREAM-NOT-BUFFERED': async (peer) => {
    const body = peer.request('SendStreamingMessage', { message: message('tck-stream-001') });
    const { headers } = await peer.post(body);
    expect(headers.get('x-accel-buffering')).toBe('no');
    expect(headers.get('cache-control')).toMatch(/no-cache|no-store/);
  },

  'STREAM-FINAL': async (peer) => {
    for (const prefix of ['tck-stream-001', 'tck-input-required', 'tck-reject-task']) {
      const events = await collect(streamOf(peer, prefix));
      const finals = events.flatMap((event) => (event.statusUpdate ? [event.final] : []));
      expect(finals).toEqual([...finals.slice(1).fill(false), true]);
    }
  },

  'STREAM-NOT-FINAL': async (peer) => {
    const events = await collect(streamOf(peer, 'tck-stream-001'));
    expect(JSON.stringify(events)).not.toContain('"final"');
  },
};
