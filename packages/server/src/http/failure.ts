import { A2AError, ERROR_TABLE, internalError, isA2AError } from '@parley/protocol';
import type { Logger } from 'pino';
import { Forgotten } from '../engine/forgotten.ts';
import { RETRY_AFTER_S, Unavailable } from '../engine/unavailable.ts';

/** The one place where an unknown error becomes `internal`: the client gets a correlation id, the log the cause. */
export function toA2AError(error: unknown, logger: Logger, newId: () => string): A2AError {
  if (isA2AError(error)) return error;
  if (error instanceof Forgotten) return new A2AError('task-not-found');
  if (error instanceof Unavailable) {
    logger.error({ err: error }, 'the store cannot write');
    return new A2AError('unavailable', 'The server cannot store anything now', { retryAfter: RETRY_AFTER_S });
  }
  const correlationId = newId();
  logger.error({ err: error, correlationId }, 'request failed');
  return internalError(correlationId, error);
}

/** Kinds whose HTTP status says so over JSON-RPC too; every other error is a JSON-RPC error under HTTP 200. */
const LOUD: ReadonlySet<A2AError['kind']> = new Set([
  'unauthenticated',
  'permission-denied',
  'not-found',
  'payload-too-large',
  'resource-exhausted',
  'unavailable',
]);

export function statusOf(error: A2AError): number {
  return LOUD.has(error.kind) ? ERROR_TABLE[error.kind].httpStatus : 200;
}
