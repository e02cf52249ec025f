import { isJsonRpcError } from '@a2a-js/sdk/errors';
import { CliError, EXIT } from './exit.ts';

const UNREACHABLE: { [code: string]: string } = {
  ECONNREFUSED: 'nothing listens there',
  ENOTFOUND: 'there is no such host',
  EAI_AGAIN: 'its name cannot be resolved now',
  ECONNRESET: 'the connection was closed',
  UND_ERR_SOCKET: 'the connection was closed',
  UND_ERR_CONNECT_TIMEOUT: 'no connection in time',
  UND_ERR_HEADERS_TIMEOUT: 'no answer in time; a long task is better sent with --stream',
  UND_ERR_BODY_TIMEOUT: 'the stream has gone silent',
};

/** What went wrong between the client and an agent, in one line. */
export function explain(error: unknown, url: string): Error {
  if (error instanceof CliError) return error;
  if (isJsonRpcError(error)) {
    const { envelopeCode: code, data } = error;
    const message = `${error.message} (${code})${violations(data, error.message)}`;
    return new CliError(EXIT.failed, message, {
      details: { code, message: error.message, ...(data === undefined ? {} : { data }) },
      cause: error,
    });
  }
  const code = networkCode(error);
  if (code !== undefined) {
    return new CliError(EXIT.usage, `cannot reach ${url}: ${UNREACHABLE[code] ?? code}`, { cause: error });
  }
  if (error instanceof TypeError && error.cause instanceof Error) {
    return new CliError(EXIT.usage, `cannot reach ${url}: ${error.cause.message}`, { cause: error });
  }
  return new CliError(EXIT.failed, error instanceof Error ? error.message : String(error), { cause: error });
}

export function jsonRpcCode(error: unknown): number | undefined {
  return isJsonRpcError(error) ? error.envelopeCode : undefined;
}

/** The fields that a server found wrong (google.rpc.BadRequest), where the message does not say it already. */
function violations(data: unknown, message: string): string {
  const details = (Array.isArray(data) ? data : []) as {
    fieldViolations?: { field: string; description: string }[];
  }[];
  const told = details
    .flatMap(({ fieldViolations = [] }) => fieldViolations)
    .filter(({ description }) => !message.includes(description));
  return told.map(({ field, description }) => `\n  ${field}: ${description}`).join('');
}

/** `fetch` hides the system's error below one or two of its own. */
function networkCode(error: unknown): string | undefined {
  for (
    let current = error, depth = 0;
    current instanceof Error && depth < 5;
    current = current.cause, depth++
  ) {
    const { code, errors } = current as NodeJS.ErrnoException & { errors?: NodeJS.ErrnoException[] };
    if (typeof code === 'string') return code;
    if (errors?.[0]?.code !== undefined) return errors[0].code;
  }
  return undefined;
}
