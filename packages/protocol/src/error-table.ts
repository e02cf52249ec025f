/** Every way an A2A request can fail, with its code on each binding (A2A 1.0.1, section 5.4). */

export const ERROR_KINDS = [
  'task-not-found',
  'task-not-cancelable',
  'push-notification-not-supported',
  'unsupported-operation',
  'content-type-not-supported',
  'invalid-agent-response',
  'extended-agent-card-not-configured',
  'extension-support-required',
  'version-not-supported',
  'parse-error',
  'invalid-request',
  'method-not-found',
  'invalid-params',
  'internal',
  'resource-exhausted',
  'unauthenticated',
  'permission-denied',
  'not-found',
  'payload-too-large',
  'unavailable',
] as const;
export type A2AErrorKind = (typeof ERROR_KINDS)[number];

export interface ErrorRow {
  /** JSON-RPC error code. */
  code: number;
  httpStatus: number;
  /** Name of the `google.rpc.Code`. */
  grpcStatus: string;
  /** `google.rpc.ErrorInfo.reason`; the standard JSON-RPC errors have none. */
  reason?: string;
  /** What the client reads when nothing more exact is said. */
  message: string;
}

const row = (
  code: number,
  httpStatus: number,
  grpcStatus: string,
  message: string,
  reason?: string,
): ErrorRow =>
  reason === undefined
    ? { code, httpStatus, grpcStatus, message }
    : { code, httpStatus, grpcStatus, message, reason };

/**
 * The last six have no code of their own in A2A, which keeps -32001 to -32099 for itself: they share -32000, the one
 * code that JSON-RPC leaves to the server, and differ by `reason` and HTTP status.
 */
export const ERROR_TABLE: Readonly<Record<A2AErrorKind, ErrorRow>> = {
  'task-not-found': row(-32001, 404, 'NOT_FOUND', 'Task not found', 'TASK_NOT_FOUND'),
  'task-not-cancelable': row(
    -32002,
    400,
    'FAILED_PRECONDITION',
    'Task cannot be canceled',
    'TASK_NOT_CANCELABLE',
  ),
  'push-notification-not-supported': row(
    -32003,
    400,
    'FAILED_PRECONDITION',
    'Push notifications are not supported',
    'PUSH_NOTIFICATION_NOT_SUPPORTED',
  ),
  'unsupported-operation': row(
    -32004,
    400,
    'FAILED_PRECONDITION',
    'This operation is not supported',
    'UNSUPPORTED_OPERATION',
  ),
  'content-type-not-supported': row(
    -32005,
    400,
    'INVALID_ARGUMENT',
    'Content type not supported',
    'CONTENT_TYPE_NOT_SUPPORTED',
  ),
  'invalid-agent-response': row(-32006, 500, 'INTERNAL', 'Invalid agent response', 'INVALID_AGENT_RESPONSE'),
  'extended-agent-card-not-configured': row(
    -32007,
    400,
    'FAILED_PRECONDITION',
    'Extended agent card not configured',
    'EXTENDED_AGENT_CARD_NOT_CONFIGURED',
  ),
  'extension-support-required': row(
    -32008,
    400,
    'FAILED_PRECONDITION',
    'Extension support required',
    'EXTENSION_SUPPORT_REQUIRED',
  ),
  'version-not-supported': row(
    -32009,
    400,
    'FAILED_PRECONDITION',
    'Version not supported',
    'VERSION_NOT_SUPPORTED',
  ),
  'parse-error': row(-32700, 400, 'INVALID_ARGUMENT', 'Parse error'),
  'invalid-request': row(-32600, 400, 'INVALID_ARGUMENT', 'Invalid request'),
  'method-not-found': row(-32601, 404, 'UNIMPLEMENTED', 'Method not found'),
  'invalid-params': row(-32602, 400, 'INVALID_ARGUMENT', 'Invalid parameters'),
  internal: row(-32603, 500, 'INTERNAL', 'Internal error'),
  'resource-exhausted': row(-32000, 429, 'RESOURCE_EXHAUSTED', 'Too many requests', 'RESOURCE_EXHAUSTED'),
  unauthenticated: row(-32000, 401, 'UNAUTHENTICATED', 'Authentication required', 'UNAUTHENTICATED'),
  'permission-denied': row(-32000, 403, 'PERMISSION_DENIED', 'Permission denied', 'PERMISSION_DENIED'),
  'not-found': row(-32000, 404, 'NOT_FOUND', 'Not found', 'NOT_FOUND'),
  'payload-too-large': row(-32000, 413, 'RESOURCE_EXHAUSTED', 'Request body too large', 'PAYLOAD_TOO_LARGE'),
  unavailable: row(-32000, 503, 'UNAVAILABLE', 'Service unavailable', 'UNAVAILABLE'),
};
