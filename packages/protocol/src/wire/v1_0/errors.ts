import { ERROR_TABLE } from '../../error-table.ts';
import { type A2AError, errorDetails } from '../../errors.ts';
import type { JsonRpcError } from '../../json-rpc.ts';

/** `data` is a list of `google.rpc` messages (section 9.5). */
export function encodeError(error: A2AError): JsonRpcError {
  const { code } = ERROR_TABLE[error.kind];
  const data = errorDetails(error);
  return data.length === 0 ? { code, message: error.message } : { code, message: error.message, data };
}
