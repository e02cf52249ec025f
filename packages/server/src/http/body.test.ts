import { expect, it } from 'vitest';
import { readBody } from './body.ts';

it.each([
  ['of a declared length', { 'content-length': '100' }],
  ['in chunks', {}],
])('a body %s that breaks off is no error of the server', async (_, headers) => {
  const body = new ReadableStream({
    start: (controller) => controller.enqueue(new TextEncoder().encode('{"jsonrpc"')),
    pull: (controller) => controller.error(new Error('ECONNRESET')),
  });
  const init = { method: 'POST', headers, body, duplex: 'half' } as RequestInit;
  const request = new Request('http://127.0.0.1/', init);
  await expect(readBody(request, 1_000)).rejects.toMatchObject({ kind: 'parse-error' });
});
