import { describe, expect, it } from 'vitest';
import { ERROR_KINDS, ERROR_TABLE } from './error-table.ts';
import { A2AError, errorDetails, internalError, invalidParams, isA2AError } from './errors.ts';

/** A2A 1.0.1, section 5.4, then the JSON-RPC errors, then ours. */
const EXPECTED: [string, number, number, string, string | undefined][] = [
  ['task-not-found', -32001, 404, 'NOT_FOUND', 'TASK_NOT_FOUND'],
  ['task-not-cancelable', -32002, 400, 'FAILED_PRECONDITION', 'TASK_NOT_CANCELABLE'],
  ['push-notification-not-supported', -32003, 400, 'FAILED_PRECONDITION', 'PUSH_NOTIFICATION_NOT_SUPPORTED'],
  ['unsupported-operation', -32004, 400, 'FAILED_PRECONDITION', 'UNSUPPORTED_OPERATION'],
  ['content-type-not-supported', -32005, 400, 'INVALID_ARGUMENT', 'CONTENT_TYPE_NOT_SUPPORTED'],
  ['invalid-agent-response', -32006, 500, 'INTERNAL', 'INVALID_AGENT_RESPONSE'],
  [
    'extended-agent-card-not-configured',
    -32007,
    400,
    'FAILED_PRECONDITION',
    'EXTENDED_AGENT_CARD_NOT_CONFIGURED',
  ],
  ['extension-support-required', -32008, 400, 'FAILED_PRECONDITION', 'EXTENSION_SUPPORT_REQUIRED'],
  ['version-not-supported', -32009, 400, 'FAILED_PRECONDITION', 'VERSION_NOT_SUPPORTED'],
  ['parse-error', -32700, 400, 'INVALID_ARGUMENT', undefined],
  ['invalid-request', -32600, 400, 'INVALID_ARGUMENT', undefined],
  ['method-not-found', -32601, 404, 'UNIMPLEMENTED', undefined],
  ['invalid-params', -32602, 400, 'INVALID_ARGUMENT', undefined],
  ['internal', -32603, 500, 'INTERNAL', undefined],
  ['resource-exhausted', -32000, 429, 'RESOURCE_EXHAUSTED', 'RESOURCE_EXHAUSTED'],
  ['unauthenticated', -32000, 401, 'UNAUTHENTICATED', 'UNAUTHENTICATED'],
  ['permission-denied', -32000, 403, 'PERMISSION_DENIED', 'PERMISSION_DENIED'],
  ['not-found', -32000, 404, 'NOT_FOUND', 'NOT_FOUND'],
  ['payload-too-large', -32000, 413, 'RESOURCE_EXHAUSTED', 'PAYLOAD_TOO_LARGE'],
  ['unavailable', -32000, 503, 'UNAVAILABLE', 'UNAVAILABLE'],
];

describe('error table', () => {
  it('has the codes of the specification and no other kind', () => {
    const rows = ERROR_KINDS.map((kind) => {
      const { code, httpStatus, grpcStatus, reason } = ERROR_TABLE[kind];
      return [kind, code, httpStatus, grpcStatus, reason];
    });
    expect(rows).toEqual(EXPECTED);
    expect(Object.keys(ERROR_TABLE)).toEqual(ERROR_KINDS);
  });
});

describe('A2AError', () => {
  it('takes its message from the table unless it is given one', () => {
    expect(new A2AError('task-not-found').message).toBe('Task not found');
    expect(new A2AError('task-not-found', 'Task not found: t').message).toBe('Task not found: t');
  });

  it('has no keys for options that were not given', () => {
    expect(Object.keys(new A2AError('internal')).sort()).toEqual(['kind', 'name']);
  });

  it('U05: is recognised across copies of the package, and nothing else is', () => {
    const foreign = Object.assign(new Error('x'), { name: 'A2AError', kind: 'task-not-found' });
    expect(isA2AError(foreign)).toBe(true);
    expect(isA2AError(new A2AError('internal'))).toBe(true);
    expect(isA2AError(Object.assign(new Error('x'), { name: 'A2AError', kind: 'no-such-kind' }))).toBe(false);
    expect(isA2AError(Object.assign(new Error('x'), { kind: 'internal' }))).toBe(false);
    expect(isA2AError({ name: 'A2AError', kind: 'internal' })).toBe(false);
    expect(isA2AError(undefined)).toBe(false);
  });

  it('U31: keeps the cause of an internal error from the client', () => {
    const error = internalError('c-1', new Error('password=hunter2'));
    expect((error.cause as Error).message).toContain('hunter2');
    expect(error.message).toContain('c-1');
    expect(JSON.stringify([error.message, errorDetails(error), error])).not.toContain('hunter2');
    expect(errorDetails(error)).toEqual([
      {
        '@type': 'type.googleapis.com/google.rpc.ErrorInfo',
        reason: 'INTERNAL',
        domain: 'a2a-protocol.org',
        metadata: { correlationId: 'c-1' },
      },
    ]);
  });
});

describe('error details', () => {
  it('carry ErrorInfo for A2A errors', () => {
    expect(errorDetails(new A2AError('task-not-found', undefined, { metadata: { taskId: 't' } }))).toEqual([
      {
        '@type': 'type.googleapis.com/google.rpc.ErrorInfo',
        reason: 'TASK_NOT_FOUND',
        domain: 'a2a-protocol.org',
        metadata: { taskId: 't' },
      },
    ]);
  });

  it('carry the violations of invalid parameters, and only them', () => {
    expect(errorDetails(invalidParams('message.parts', 'At least one part is required'))).toEqual([
      {
        '@type': 'type.googleapis.com/google.rpc.BadRequest',
        fieldViolations: [{ field: 'message.parts', description: 'At least one part is required' }],
      },
    ]);
  });

  it('are empty for a bare JSON-RPC error', () => {
    expect(errorDetails(new A2AError('method-not-found'))).toEqual([]);
  });
});
