import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { json } from '../test/arbitraries.ts';
import { sseEvent, ssePing, sseRetry } from './sse.ts';
import { createSseParser, parseSse, type SseEvent } from './sse-parser.ts';

function parse(...chunks: string[]): SseEvent[] {
  const parser = createSseParser();
  return chunks.flatMap((chunk) => parser.push(chunk));
}

const message = (data: string, id = ''): SseEvent => ({ event: 'message', data, id });

describe('sseEvent', () => {
  it('writes id, event and one data line', () => {
    expect(sseEvent({ data: '{}' })).toBe('data: {}\n\n');
    expect(sseEvent({ id: 7, data: '{}' })).toBe('id: 7\ndata: {}\n\n');
    expect(sseEvent({ id: '7', event: 'error', data: '{}' })).toBe('id: 7\nevent: error\ndata: {}\n\n');
  });

  it.each(['\n', '\r', '\r\n'])('refuses a line break in any field (%j)', (br) => {
    expect(() => sseEvent({ data: `a${br}b` })).toThrow(/data/);
    expect(() => sseEvent({ id: `1${br}data: x`, data: '' })).toThrow(/id/);
    expect(() => sseEvent({ event: `e${br}`, data: '' })).toThrow(/event/);
  });

  it('escapes U+2028 and U+2029', () => {
    const text = sseEvent({ data: JSON.stringify('a\u2028b\u2029') });
    expect(text).toBe('data: "a\\u2028b\\u2029"\n\n');
  });

  it('is read back by the parser, whatever JSON it carries', () => {
    fc.assert(
      fc.property(fc.array(json), (values) => {
        const text = values.map(
          (value, index) => sseEvent({ id: index, data: JSON.stringify(value) }) + ssePing(),
        );
        expect(parse(text.join('')).map(({ data }) => JSON.parse(data))).toEqual(values);
      }),
    );
  });
});

const STREAM = [
  '\uFEFFdata: first\r\n\r\n: a comment\r\rid: 1\nevent: named\ndata: two\r\ndata:  lines\r\n\r\n',
  'retry: 1500\nretry: 1x\nid\ndata\n\nunknown: x\ndata: \u2028 ünï 😀\n\nid: 3\0\ndata:third\rdata\r\r',
  'event: nothing\n\nid: 9\ndata: cut off\n',
].join('');

const EVENTS: SseEvent[] = [
  message('first'),
  { event: 'named', data: 'two\n lines', id: '1' },
  message(''),
  message('\u2028 ünï 😀'),
  message('third\n'),
];

describe('U09: createSseParser', () => {
  it('follows the WHATWG rules', () => {
    expect(parse(STREAM)).toEqual(EVENTS);
  });

  it('does not depend on where the text is cut', () => {
    for (let cut = 0; cut <= STREAM.length; cut += 1) {
      expect(parse(STREAM.slice(0, cut), STREAM.slice(cut)), `cut at ${cut}`).toEqual(EVENTS);
    }
    expect(parse(...STREAM)).toEqual(EVENTS);
    fc.assert(
      fc.property(fc.array(fc.nat(STREAM.length), { maxLength: 12 }), (cuts) => {
        const places = [0, ...cuts.sort((a, b) => a - b), STREAM.length];
        expect(parse(...places.slice(1).map((end, index) => STREAM.slice(places[index], end)))).toEqual(
          EVENTS,
        );
      }),
    );
  });

  it('tells retry, and an id only once its event is complete', () => {
    const parser = createSseParser();
    parser.push('retry: 20\nid: 4\ndata: x\n\nid: 5\ndata: cut');
    expect(parser.retry).toBe(20);
    expect(parser.lastEventId).toBe('4');
    parser.push('\n\n');
    expect(parser.lastEventId).toBe('5');
  });

  it('gives up on an event above the limit, in one line, many lines or many chunks', () => {
    const tooLarge = expect.objectContaining({ code: 'SSE_EVENT_TOO_LARGE' });
    const feed = (chunks: string[]) => {
      const parser = createSseParser({ maxEventSize: 100 });
      for (const chunk of chunks) parser.push(chunk);
    };
    expect(() => feed([`data: ${'x'.repeat(95)}\n`])).toThrow(tooLarge);
    expect(() => feed(Array(200).fill('x'))).toThrow(tooLarge);
    expect(() => feed(Array(200).fill('data\n'))).toThrow(tooLarge);
    expect(() => feed([`data: ${'x'.repeat(90)}\n\n`.repeat(5)])).not.toThrow();
    expect(() => feed(Array(50).fill(': ping\n\n'))).not.toThrow();
  });
});

describe('parseSse', () => {
  it('yields the events of a stream', async () => {
    async function* chunks() {
      yield 'data: 1\n';
      yield '\ndata: 2\n\n';
    }
    const events: SseEvent[] = [];
    for await (const event of parseSse(chunks())) events.push(event);
    expect(events).toEqual([message('1'), message('2')]);
  });
});

it('asks to come back in a field of its own', () => {
  expect(sseRetry(1_000)).toBe('retry: 1000\n\n');
});
