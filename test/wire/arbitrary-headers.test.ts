import { request as httpRequest } from 'node:http';
import fc from 'fast-check';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { type Served, serve } from '../support/serve.ts';
import { type Answer, expectProper, PATIENCE_MS, run, STATUSES } from './proper-answer.ts';
import { sendText, userMessage } from './rpc.ts';

let served: Served;
let taskId = '';
beforeAll(async () => {
  served = await serve({ a2a: { trustProxy: true }, http: { cors: { allow_origin_regex: '.*\\.example' } } });
  taskId = (await sendText(served, 'echo', 'x')).id;
});
afterAll(() => served.close());
afterEach(async () => {
  expect((await sendText(served, 'echo', 'still there')).status.state).toBe('TASK_STATE_COMPLETED');
});

const headerNames = fc.constantFrom(
  'a2a-version',
  'a2a-extensions',
  'x-a2a-extensions',
  'langgraph-a2a-history-scope',
  'last-event-id',
  'idempotency-key',
  'content-type',
  'accept',
  'accept-encoding',
  'origin',
  'if-none-match',
  'x-forwarded-host',
  'x-forwarded-proto',
  'x-forwarded-prefix',
  'host',
  'cookie',
  'range',
);
const headerValue = fc.oneof(
  fc.constantFrom(
    '1.0',
    '0.3',
    'task',
    'context',
    '*',
    '0',
    '1',
    'application/json',
    'https',
    'a.example',
    '"',
    ',',
    ';',
    '/',
    '//',
    '\\',
  ),
  fc.string({
    unit: fc
      .integer({ min: 0x20, max: 0xff })
      .filter((code) => code !== 0x7f)
      .map((code) => String.fromCharCode(code)),
  }),
);

/** Header values that fetch would refuse to send. */
function ask(
  method: string,
  path: string,
  headers: { [name: string]: string },
  body: string,
): Promise<Answer> {
  const { hostname, port } = new URL(served.url);
  return new Promise((resolve, reject) => {
    const all = { 'content-type': 'application/json', ...headers, 'content-length': Buffer.byteLength(body) };
    const request = httpRequest(
      { hostname, port, method, path, headers: all, timeout: PATIENCE_MS },
      (response) => {
        let text = '';
        response.setEncoding('utf8');
        response.on('data', (chunk) => {
          text += chunk;
        });
        response.on('end', () =>
          resolve({ status: response.statusCode ?? 0, type: response.headers['content-type'] ?? '', text }),
        );
      },
    );
    request.on('timeout', () => request.destroy(new Error('no answer')));
    request.on('error', reject);
    request.end(body);
  });
}

it('any header values are answered, by methods, streams and cards', () =>
  run(
    fc.asyncProperty(
      fc.dictionary(headerNames, headerValue, { maxKeys: 4, noNullPrototype: true }),
      fc.nat(),
      async (headers, which) => {
        const message = userMessage('x');
        const requests = [
          { method: 'SendMessage', params: { message } },
          { method: 'SendStreamingMessage', params: { message } },
          { method: 'ListTasks', params: {} },
          { method: 'SubscribeToTask', params: { id: taskId } },
        ];
        const request = { jsonrpc: '2.0', id: 'h', ...requests[which % requests.length] };
        const answer = await ask('POST', '/a2a/echo', headers, JSON.stringify(request));
        // A request whose host is none reaches no route, and has no body.
        if (!('host' in headers) || answer.text !== '') expectProper(answer, request);
        expect(STATUSES).toContain(answer.status);
        const card = await ask('GET', '/a2a/echo/.well-known/agent-card.json', headers, '');
        expect([...STATUSES, 304]).toContain(card.status);
        if (card.status === 200) expect(JSON.parse(card.text)).toMatchObject({ name: 'echo' });
      },
    ) as never,
    80,
  ));
