import type { A2AError } from '@parley/protocol';
import { ERROR_TABLE } from '@parley/protocol';
import type { Logger } from 'pino';
import { ApiError, type ApiErrorKind } from '../../assistants/api-error.ts';
import { toA2AError } from '../failure.ts';
import type { InFlight } from '../in-flight.ts';

export interface ApiOptions {
  bodyLimit: number;
  maxDepth: number;
  inFlight: InFlight;
  logger: Logger;
  newId(): string;
}

const STATUS: { [K in ApiErrorKind]: number } = { unknown: 404, conflict: 409, invalid: 422 };

/** Answers a request of the LangGraph API; what goes wrong is told as that does, `{"detail": "…"}`. */
export async function answerApi(options: ApiOptions, body: () => Promise<Response>): Promise<Response> {
  const done = options.inFlight.begin();
  try {
    return await body();
  } catch (error) {
    if (error instanceof ApiError) {
      const { kind, message, more } = error;
      return Response.json({ detail: message, ...more }, { status: STATUS[kind] });
    }
    return failed(toA2AError(error, options.logger, options.newId));
  } finally {
    done();
  }
}

function failed({ kind, message, retryAfter }: A2AError): Response {
  const headers = retryAfter === undefined ? {} : { 'retry-after': String(retryAfter) };
  return Response.json({ detail: message }, { status: ERROR_TABLE[kind].httpStatus, headers });
}
