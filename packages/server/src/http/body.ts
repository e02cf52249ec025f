import { A2AError, isA2AError } from '@parley/protocol';

/** The body as text, at most `limit` bytes of it: a larger one is refused without being read to its end. */
export async function readBody(request: Request, limit: number): Promise<string> {
  const declared = Number(request.headers.get('content-length') ?? Number.NaN);
  if (declared > limit) throw tooLarge(limit);
  // node:http cuts a body off at its declared length.
  if (Number.isFinite(declared)) return request.text().catch(brokenOff);
  if (!request.body) return '';
  return readChunks(request.body as unknown as AsyncIterable<Uint8Array>, limit).catch(brokenOff);
}

async function readChunks(body: AsyncIterable<Uint8Array>, limit: number): Promise<string> {
  const decoder = new TextDecoder();
  let text = '';
  let size = 0;
  for await (const chunk of body) {
    size += chunk.byteLength;
    if (size > limit) throw tooLarge(limit);
    text += decoder.decode(chunk, { stream: true });
  }
  return text + decoder.decode();
}

/** The client has hung up, and nobody hears this, or an application has read the body before it passed the request on. */
function brokenOff(error: unknown): never {
  if (isA2AError(error)) throw error;
  throw new A2AError(
    'parse-error',
    'The body ended before it was complete. Has a body parser in front of this server read it?',
  );
}

function tooLarge(limit: number): A2AError {
  return new A2AError('payload-too-large', `The body is larger than ${limit} bytes`);
}
