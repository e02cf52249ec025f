import { ERROR_TABLE } from '../../error-table.ts';
import { type A2AError, errorDetails } from '../../errors.ts';
import type { JsonRpcError } from '../../json-rpc.ts';

/** 0.3 asks for code and message only; field violations go along because nothing else names the field. */
export function encodeError(error: A2AError): JsonRpcError {
  const { code } = ERROR_TABLE[error.kind];
  if (error.fieldViolations === undefined || error.fieldViolations.length === 0) {
    return { code, message: error.message };
  }
  return { code, message: error.message, data: errorDetails(error) };
}
