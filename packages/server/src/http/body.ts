import { A2AError } from '@parley/protocol';

/** The body as text, at most `limit` bytes of it: a larger one is refused without being read to its end. */
export async function readBody(request: Request, limit: number): Promise<string> {
  const declared = Number(request.headers.get('content-length') ?? Number.NaN);
  if (declared > limit) throw tooLarge(limit);
  // node:http cuts a body off at its declared length.
  if (Number.isFinite(declared)) return request.text();
  if (!request.body) return '';
  const decoder = new TextDecoder();
  let text = '';
  let size = 0;
  for await (const chunk of request.body as unknown as AsyncIterable<Uint8Array>) {
    size += chunk.byteLength;
    if (size > limit) throw tooLarge(limit);
    text += decoder.decode(chunk, { stream: true });
  }
  return text + decoder.decode();
}

function tooLarge(limit: number): A2AError {
  return new A2AError('payload-too-large', `The body is larger than ${limit} bytes`);
}
