import { randomUUID } from 'node:crypto';
import { expect } from 'vitest';
import { expectRefusal, type Fields, type Refusal } from '../wire/rpc.ts';
import type { Event, Peer, RequestHeaders } from './peer.ts';
import type { Operation } from './wires/wire.ts';

export const COMPLETED = 'TASK_STATE_COMPLETED';
export const WORKING = 'TASK_STATE_WORKING';
export const INPUT_REQUIRED = 'TASK_STATE_INPUT_REQUIRED';
export const IMMEDIATELY: Fields = { returnImmediately: true };

/** A message that asks the agent for what this prefix means. */
export function message(prefix: string, more: Fields = {}): Fields {
  return {
    messageId: `${prefix}-${randomUUID()}`,
    role: 'ROLE_USER',
    parts: [{ text: `please ${prefix}` }],
    ...more,
  };
}

/** The Task that answers a message. */
export async function send(
  peer: Peer,
  prefix: string,
  more: Fields = {},
  configuration?: Fields,
): Promise<Fields> {
  const params = { message: message(prefix, more), ...(configuration ? { configuration } : {}) };
  const { result, envelope } = await peer.call('SendMessage', params);
  expect(result.task, JSON.stringify(envelope)).toBeDefined();
  return result.task;
}

/** A task of the agent at the gate `pause`, which is held; its first artifact is there, its second is not. */
export async function pausedTask(peer: Peer): Promise<Fields> {
  peer.gates.hold('pause');
  const { id } = await send(peer, 'own-pause', {}, IMMEDIATELY);
  await peer.gates.reached('pause');
  return until(peer, id, ({ artifacts }) => artifacts !== undefined);
}

export async function getTask(peer: Peer, id: string, more: Fields = {}): Promise<Fields> {
  const { result, envelope } = await peer.call('GetTask', { id, ...more });
  expect(result.id, JSON.stringify(envelope)).toBe(id);
  return result;
}

/** Asks for the task until this holds: the server tells of no such thing. */
async function until(peer: Peer, id: string, holds: (task: Fields) => boolean): Promise<Fields> {
  for (;;) {
    const task = await getTask(peer, id);
    if (holds(task)) return task;
    await new Promise((next) => setImmediate(next));
  }
}

export const reaches = (peer: Peer, id: string, state: string): Promise<Fields> =>
  until(peer, id, ({ status }) => status.state === state);

/** The call is refused so, as a plain JSON answer; only 1.0 says more than the code. */
export async function refused(
  peer: Peer,
  operation: Operation,
  params: Fields,
  refusal: Refusal,
  headers?: RequestHeaders,
): Promise<void> {
  const answer = await peer.call(operation, params, headers);
  const { reason, field, ...common } = refusal;
  const inOneWord = peer.version === '1.0' ? refusal : common;
  expectRefusal({ status: answer.status, body: answer.envelope as never }, inOneWord);
}

export async function collect<T = Event>(events: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const event of events) all.push(event);
  return all;
}

export const streamOf = (
  peer: Peer,
  prefix: string,
  more: Fields = {},
): AsyncGenerator<Event, void, undefined> =>
  peer.stream('SendStreamingMessage', { message: message(prefix, more) });

/** The next event of a stream that has not ended. */
export async function next(events: AsyncGenerator<Event, void, undefined>): Promise<Event> {
  const { value, done } = await events.next();
  if (done || value === undefined) throw new Error('the stream has ended');
  return value;
}

export const stateOf = (event: Event | undefined): string | undefined =>
  (event?.task ?? event?.statusUpdate)?.status.state;
