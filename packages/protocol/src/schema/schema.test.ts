/** The schemas refuse what the strict clients refuse: without this, tests that use them could not fail. */

import { describe, expect, it } from 'vitest';
import { card, completedTask, streamEvents } from '../../test/fixtures.ts';
import { agentCardSchema } from './card.ts';
import { errorEnvelopeSchema } from './json-rpc.ts';
import { listTasksResponseSchema, partSchema, streamResponseSchema, taskSchema } from './task.ts';

describe('taskSchema', () => {
  it('accepts the fixtures', () => {
    expect(taskSchema.safeParse(completedTask).error).toBeUndefined();
    for (const event of streamEvents) expect(streamResponseSchema.safeParse(event).error).toBeUndefined();
  });

  it.each([
    { kind: 'task' },
    { history: [] },
    { artifacts: [] },
    { contextId: '' },
    { status: { state: 'working' } },
    { status: { state: 3 } },
    { status: { state: 'TASK_STATE_WORKING', timestamp: '2024-01-01T00:00:00+00:00' } },
    { status: { state: 'TASK_STATE_WORKING', timestamp: '2024-01-01T00:00:00Z' } },
    { metadata: undefined },
    { history: [{ messageId: 'm', role: 'user', parts: [{ text: 'x' }] }] },
    { history: [{ messageId: 'm', role: 'ROLE_USER', parts: [] }] },
  ])('refuses %j', (change) => {
    expect(taskSchema.safeParse({ ...completedTask, ...change }).success).toBe(false);
  });
});

it.each([
  {},
  { text: 'a', data: 1 },
  { text: 'a', kind: 'text' },
  { raw: 'a-b_' },
  { raw: 'QQ' },
  { url: '' },
  { text: null },
])('partSchema refuses %j', (part) => {
  expect(partSchema.safeParse(part).success).toBe(false);
});

it('an event has exactly one payload and no `final`', () => {
  const [task, status] = streamEvents;
  expect(streamResponseSchema.safeParse({ ...task, ...status }).success).toBe(false);
  expect(streamResponseSchema.safeParse({ ...status, final: true }).success).toBe(false);
  expect(streamResponseSchema.safeParse({}).success).toBe(false);
});

it('a page has all four fields', () => {
  const page = { tasks: [], nextPageToken: '', pageSize: 50, totalSize: 0 };
  for (const field of Object.keys(page)) {
    expect(listTasksResponseSchema.safeParse({ ...page, [field]: undefined }).success, field).toBe(false);
  }
});

it.each([
  { url: 'https://h' },
  { signatures: [] },
  { skills: [] },
  { supportedInterfaces: [] },
  { supportedInterfaces: [{ url: 'u', protocolBinding: 'JSONRPC', protocolVersion: '1.0.0' }] },
  { securitySchemes: { b: { type: 'http', scheme: 'bearer' } } },
])('agentCardSchema refuses %j', (change) => {
  expect(agentCardSchema.safeParse(card).error).toBeUndefined();
  expect(agentCardSchema.safeParse({ ...card, ...change }).success).toBe(false);
});

it.each([
  { extra: 1 },
  { data: {} },
  { data: [] },
  { data: [{ reason: 'X' }] },
  {
    data: [
      {
        '@type': 'type.googleapis.com/google.rpc.ErrorInfo',
        reason: 'TASK_NOT_FOUND',
        domain: 'a2a-protocol.org',
        metadata: { n: 1 },
      },
    ],
  },
])('errorEnvelopeSchema refuses %j', (change) => {
  const error = { code: -32001, message: 'x' };
  expect(errorEnvelopeSchema.safeParse({ jsonrpc: '2.0', id: 1, error }).success).toBe(true);
  expect(
    errorEnvelopeSchema.safeParse({ jsonrpc: '2.0', id: 1, error: { ...error, ...change } }).success,
  ).toBe(false);
});
