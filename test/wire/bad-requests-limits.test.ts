import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Served, serve } from '../support/serve.ts';
import {
  call,
  exchange,
  expectRefusal,
  type Fields,
  parseAnswer,
  postBytes,
  rpc,
  sendParts,
  sendText,
  storesNothing,
  userMessage,
} from './rpc.ts';

const LIMIT = 10 * 1024 * 1024;
const MIB = 1024 * 1024;

let served: Served;
beforeAll(async () => {
  served = await serve();
});
afterAll(() => served.close());

/** A `SendMessage` of exactly this many bytes. */
function bodyOf(size: number): string {
  const message = userMessage('@', { contextId: 'big' });
  const [before = '', after = ''] = JSON.stringify(
    call('SendMessage', { message, configuration: { historyLength: 0 } }),
  ).split('@');
  return before + 'x'.repeat(size - before.length - after.length) + after;
}

interface Upload {
  answer: string;
  /** Bytes that the server let the client send. */
  sent: number;
  /** Heap and buffers at their highest, above what they were. */
  grown: number;
}

const inUse = (): number => {
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return heapUsed + arrayBuffers;
};

/** Sends one MiB after the other from one buffer, as fast as the server takes it, until it has answered. */
function upload(head: string[], total: number, chunked: boolean): Promise<Upload> {
  const piece = Buffer.alloc(MIB, 'x');
  const block = chunked
    ? Buffer.concat([Buffer.from(`${MIB.toString(16)}\r\n`), piece, Buffer.from('\r\n')])
    : piece;
  const { hostname, port } = new URL(served.url);
  const before = inUse();
  return new Promise((resolve) => {
    const socket = connect(Number(port), hostname);
    let answer = '';
    let sent = 0;
    let highest = before;
    const more = (): void => {
      highest = Math.max(highest, inUse());
      if (answer !== '' || sent >= total) return;
      sent += MIB;
      if (socket.write(block)) setImmediate(more);
      else socket.once('drain', more);
    };
    socket.on('data', (chunk) => {
      answer += chunk;
      socket.end();
    });
    socket.on('error', () => {});
    socket.on('close', () => resolve({ answer, sent, grown: highest - before }));
    socket.write(
      `POST /a2a/echo HTTP/1.1\r\nHost: h\r\nContent-Type: application/json\r\n${head.join('\r\n')}\r\n\r\n`,
    );
    more();
  });
}

describe('U27: a body over the limit', () => {
  storesNothing(() => served);

  it.each([
    { way: 'by its length', head: [`Content-Length: ${50 * MIB}`], chunked: false, most: 4 },
    { way: 'in chunks', head: ['Transfer-Encoding: chunked'], chunked: true, most: 16 },
  ])('of 50 MiB is refused $way, before the rest of it is read', async ({ head, chunked, most }) => {
    const { answer, sent, grown } = await upload(head, 50 * MIB, chunked);
    const { status, body } = parseAnswer(answer);
    expectRefusal(
      { status, body: JSON.parse(body) },
      { code: -32000, status: 413, id: null, reason: 'PAYLOAD_TOO_LARGE' },
    );
    expect(sent).toBeLessThanOrEqual(most * MIB);
    expect(grown).toBeLessThan(64 * MIB);
  });

  it('that is never sent is refused at once', async () => {
    const head =
      'POST /a2a/echo HTTP/1.1\r\nHost: h\r\nContent-Type: application/json\r\nContent-Length: 99999999999\r\n';
    expect(parseAnswer(await exchange(served.url, `${head}Connection: close\r\n\r\n`)).status).toBe(413);
  });

  it('by one byte is refused, to the byte it is taken', async () => {
    expectRefusal(await served.post('echo', bodyOf(LIMIT + 1)), { code: -32000, status: 413 });
    const chunked = await fetch(served.endpoint('echo'), {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: new Blob([bodyOf(LIMIT + 1)]).stream(),
      duplex: 'half',
    } as RequestInit);
    expect(chunked.status).toBe(413);
  });

  it('leaves a connection that other requests can use', async () => {
    const small = JSON.stringify(call('ListTasks', {}, 'next'));
    const size = LIMIT + MIB;
    const { hostname, port } = new URL(served.url);
    const head = (length: number): string =>
      `POST /a2a/echo HTTP/1.1\r\nHost: h\r\nContent-Type: application/json\r\nContent-Length: ${length}\r\n`;
    const answers = await new Promise<string>((resolve) => {
      const socket = connect(Number(port), hostname);
      let text = '';
      socket.on('data', (chunk) => {
        text += chunk;
        if (text.includes('"next"')) socket.end();
      });
      socket.on('error', () => {});
      socket.on('close', () => resolve(text));
      socket.write(`${head(size)}\r\n`);
      socket.write(Buffer.alloc(size, 'x'), () =>
        socket.write(`${head(small.length)}Connection: close\r\n\r\n${small}`),
      );
    });
    // Either the body is skipped and the next request answered, or the connection is closed: never a wrong answer.
    const [first = '', ...rest] = answers.split(/(?=HTTP\/1\.1 )/);
    expect(parseAnswer(first).status).toBe(413);
    for (const answer of rest)
      expect(parseAnswer(answer)).toMatchObject({ status: 200, body: expect.stringContaining('"next"') });
  });
});

it('a body exactly at the limit is answered', async () => {
  const answer = await served.post('echo', bodyOf(LIMIT));
  expect(answer.status).toBe(200);
  expect(answer.body.result.task.artifacts[0].parts[0].text.length).toBeGreaterThan(LIMIT - 1_000);
});

it('the limit is a setting', async () => {
  const small = await serve({ a2a: { bodyLimit: '1 KiB' } });
  try {
    expect((await small.post('echo', bodyOf(1024))).status).toBe(200);
    expectRefusal(await small.post('echo', bodyOf(1025)), { code: -32000, status: 413, message: /1024/ });
  } finally {
    await small.close();
  }
});

it('a content length that is no number, and one that is too short, reach no graph', async () => {
  const total = (await rpc(served, 'echo', 'ListTasks', {})).result.totalSize;
  const body = JSON.stringify(call('SendMessage', { message: userMessage('x') }));
  const bytes = postBytes('/a2a/echo', body).toString();
  const odd = await exchange(served.url, bytes.replace(/Content-Length: \d+/, 'Content-Length: abc'));
  expect(parseAnswer(odd).status).toBe(400);
  const short = await exchange(served.url, bytes.replace(/Content-Length: \d+/, 'Content-Length: 20'));
  expect(parseAnswer(short).status).toBe(400);
  expect((await rpc(served, 'echo', 'ListTasks', {})).result.totalSize).toBe(total);
});

describe('parts', () => {
  const parts = (count: number): { text: string }[] => Array.from({ length: count }, () => ({ text: 'y' }));

  it('a thousand are taken, one more and ten thousand are refused', async () => {
    const task = await sendParts(served, 'echo', parts(1_000));
    expect(task.artifacts[0].parts[0].text).toBe(`you said: ${'y'.repeat(1_000)}`);
    for (const count of [1_001, 10_000]) {
      const answer = await served.post(
        'echo',
        call('SendMessage', { message: userMessage('', { parts: parts(count) }) }),
      );
      expectRefusal(answer, { code: -32602, field: 'message.parts' });
      expect(JSON.stringify(answer.body)).toContain('1000');
    }
  });

  it('ten thousand are taken where the setting allows them', async () => {
    const wide = await serve({ a2a: { maxParts: 10_000 } });
    try {
      expect((await sendParts(wide, 'echo', parts(10_000))).artifacts[0].parts[0].text).toHaveLength(10_010);
    } finally {
      await wide.close();
    }
  });
});

describe('nesting', () => {
  const nested = (levels: number): string => `${'['.repeat(levels)}${']'.repeat(levels)}`;
  /** Body, params, message, parts and part are five levels. */
  const withData = (levels: number): string =>
    `{"jsonrpc":"2.0","id":"deep","method":"SendMessage","params":{"message":{"messageId":"m","role":1,"parts":[{"data":${nested(levels)}}]}}}`;

  it('up to 64 levels is data', async () => {
    const { body } = await served.post('echo', withData(59));
    expect(body.result.task.history[0].parts).toEqual([{ data: JSON.parse(nested(59)) }]);
  });

  it.each([60, 1_000, 20_000])('of %i levels in data is refused under the id', async (levels) => {
    expectRefusal(await served.post('echo', withData(levels)), { code: -32600, id: 'deep', message: /64/ });
  });

  it.each([100_000, 2_000_000])('of %i levels is refused without being parsed', async (levels) => {
    for (const body of [
      withData(levels),
      nested(levels),
      '['.repeat(levels),
      '{"a":'.repeat(levels),
      `{"params":${nested(levels)}}`,
    ]) {
      expectRefusal(await served.post('echo', body), { code: -32600, id: null });
    }
  });

  it('in params, metadata and unknown fields counts too, brackets in text do not', async () => {
    for (const member of ['"metadata":{"a":@}', '"unknown":@']) {
      const body = `{"jsonrpc":"2.0","id":1,"method":"ListTasks","params":{${member.replace('@', nested(70))}}}`;
      expectRefusal(await served.post('echo', body), { code: -32600, id: 1 });
    }
    const task = await sendText(served, 'echo', `"\\${'[{'.repeat(500)}`);
    expect(task.artifacts[0].parts[0].text).toBe(`you said: "\\${'[{'.repeat(500)}`);
  });

  it('is a setting', async () => {
    const flat = await serve({ a2a: { maxDepth: 6 } });
    try {
      expect((await flat.post('echo', withData(1))).body.result).toBeDefined();
      expectRefusal(await flat.post('echo', withData(2)), { code: -32600, message: /6 levels/ });
    } finally {
      await flat.close();
    }
  });
});

describe('unusual text', () => {
  it.each([
    ['a lone surrogate', '\ud800'],
    ['a low surrogate first', '\udc00\ud800'],
    ['NUL', 'a\u0000b'],
    ['control characters', '\u0001\u0007\u001b[31m\r\n\u007f'],
    ['line separators', '\u2028\u2029'],
    ['a byte order mark', '\ufeffx'],
    ['text that looks like a frame', 'a\n\ndata: {"jsonrpc":"2.0"}\n\nid: 7'],
    ['an emoji of several code points', '👩‍👩‍👧‍👦'],
  ])('%s comes back as it was, in text, data and metadata', async (_, text) => {
    const metadata: Fields = { [`k${text}`]: text };
    const task = await sendParts(served, 'echo', [{ text, metadata }, { data: { [text]: [text] } }], {
      metadata,
    });
    const [said] = task.history;
    expect(said).toMatchObject({ metadata });
    expect(said.parts).toEqual([{ text, metadata }, { data: { [text]: [text] } }]);
    const got = await rpc(served, 'echo', 'GetTask', { id: task.id });
    expect(got.result.history).toEqual(task.history);
    expect(got.result.artifacts[0].parts[0].text).toContain(text);
  });

  it.each([
    '__proto__',
    'constructor',
    'prototype',
    'toString',
    'hasOwnProperty',
    'toJSON',
    '$writes',
    'lc',
    'then',
  ])('the key %s is data like any other', async (key) => {
    const json = `{"${key}":{"polluted":"yes","__proto__":{"polluted":"yes"}}}`;
    const text = `{"jsonrpc":"2.0","id":1,"method":"SendMessage","params":{"__proto__":{"polluted":"yes"},"metadata":${json},"message":{"messageId":"m","role":1,"metadata":${json},"parts":[{"data":${json},"metadata":${json}}]}}}`;
    for (const graphId of ['data', 'turn', 'custom', 'echo']) {
      const { body } = await served.post(graphId, text);
      const { history, artifacts } = body.result.task;
      expect(JSON.stringify(history[0].metadata)).toBe(json);
      expect(JSON.stringify(history[0].parts)).toBe(`[{"data":${json},"metadata":${json}}]`);
      if (graphId === 'data') expect(artifacts[0].parts[0].text).toContain(json);
    }
    const v0 = await served.post(
      'echo',
      text.replace('SendMessage', 'message/send').replace('"role":1', '"role":"user"'),
    );
    expect(JSON.stringify(v0.body.result.history[0].parts[0].data)).toBe(json);
    expect(({} as Fields).polluted).toBeUndefined();
    expect(Object.prototype).not.toHaveProperty('polluted');
  });

  it.each([
    ['null', null],
    ['false', false],
    ['zero', 0],
    ['an empty string', ''],
    ['a list', [1, null, { a: [] }]],
    ['an empty object', {}],
    ['a small fraction', 1e-9],
    ['a large number', 1.7976931348623157e308],
    ['text like a date', '2024-01-01T00:00:00+00:00'],
  ])('%s stays what it is as data', async (_, data) => {
    const task = await sendParts(served, 'data', [{ data }]);
    expect(task.history[0].parts).toEqual([{ data }]);
    expect(JSON.parse(task.artifacts[0].parts[0].text).a2aData).toEqual([data]);
  });
});
