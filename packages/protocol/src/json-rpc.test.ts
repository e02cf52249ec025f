import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { json } from '../test/arbitraries.ts';
import { exceedsDepth } from './json-depth.ts';
import { errorEnvelope, parseRequest, resultEnvelope } from './json-rpc.ts';
import type { JsonValue } from './model.ts';

const LIMITS = { maxDepth: 64 };

function outcome(text: string) {
  const parsed = parseRequest(text, LIMITS);
  return 'error' in parsed ? { id: parsed.id, fault: parsed.error.kind } : parsed;
}

const request = (fields: object) => JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'GetTask', ...fields });

describe('parseRequest', () => {
  it.each([
    ['{"metadata":{"n":1e400}}', 'metadata.n'],
    ['{"message":{"parts":[{"text":"x"},{"data":[0,-1e999]}]}}', 'message.parts[1].data[1]'],
    [`{"historyLength":${'9'.repeat(400)}}`, 'historyLength'],
  ])('refuses a number beyond a double in %s', (params, field) => {
    const parsed = parseRequest(`{"jsonrpc":"2.0","id":"a","method":"m","params":${params}}`, LIMITS);
    expect(parsed).toMatchObject({
      id: 'a',
      error: { kind: 'invalid-params', fieldViolations: [{ field }] },
    });
    expect(outcome(request({ params: { n: Number.MAX_VALUE, text: '1e400' } }))).toMatchObject({ id: 1 });
  });

  it.each([
    ['{"jsonrpc":', { id: null, fault: 'parse-error' }],
    ['', { id: null, fault: 'parse-error' }],
    ['[]', { id: null, fault: 'invalid-request' }],
    [`[${request({})}]`, { id: null, fault: 'invalid-request' }],
    ['null', { id: null, fault: 'invalid-request' }],
    ['"x"', { id: null, fault: 'invalid-request' }],
    ['{"id":7,"method":"GetTask"}', { id: 7, fault: 'invalid-request' }],
    ['{"jsonrpc":2.0,"id":7,"method":"GetTask"}', { id: 7, fault: 'invalid-request' }],
    [request({ method: 5 }), { id: 1, fault: 'invalid-request' }],
    [request({ method: undefined }), { id: 1, fault: 'invalid-request' }],
    [request({ method: '' }), { id: 1, fault: 'invalid-request' }],
    [request({ id: {} }), { id: null, fault: 'invalid-request' }],
    [request({ id: true }), { id: null, fault: 'invalid-request' }],
    [request({ id: 1.5 }), { id: null, fault: 'invalid-request' }],
    ['{"jsonrpc":"2.0","id":12345678901234567890,"method":"m"}', { id: null, fault: 'invalid-request' }],
    ['{"jsonrpc":"2.0","id":1e400,"method":"m"}', { id: null, fault: 'invalid-request' }],
    [request({ id: undefined }), { id: null, fault: 'invalid-request' }],
    [request({ id: 'a', params: [] }), { id: 'a', fault: 'invalid-params' }],
    [request({ id: 'a', params: 'x' }), { id: 'a', fault: 'invalid-params' }],
    [request({ id: 'a', params: 0 }), { id: 'a', fault: 'invalid-params' }],
  ])('refuses %s', (text, expected) => {
    expect(outcome(text)).toEqual(expected);
  });

  it.each([
    [request({}), { id: 1, method: 'GetTask', params: undefined }],
    [request({ params: null }), { id: 1, method: 'GetTask', params: undefined }],
    [request({ id: null }), { id: null, method: 'GetTask', params: undefined }],
    [request({ id: '' }), { id: '', method: 'GetTask', params: undefined }],
    [request({ id: '1', params: { id: 't' } }), { id: '1', method: 'GetTask', params: { id: 't' } }],
    [request({ id: -3, extra: 1 }), { id: -3, method: 'GetTask', params: undefined }],
  ])('accepts %s', (text, expected) => {
    expect(outcome(text)).toEqual(expected);
  });

  it('names the limit and keeps the id when a body nests too deep', () => {
    const nested = (levels: number) =>
      `{"jsonrpc":"2.0","id":"x","method":"m","params":{"a":${'['.repeat(levels)}${']'.repeat(levels)}}}`;
    expect(outcome(nested(62))).toMatchObject({ id: 'x', method: 'm' });
    const refused = parseRequest(nested(63), LIMITS);
    expect(refused).toMatchObject({ id: 'x', error: { kind: 'invalid-request' } });
    expect('error' in refused && refused.error.message).toContain('64');
  });

  it('refuses a large deep body without parsing it', () => {
    expect(outcome(`{"jsonrpc":"2.0","id":5,"method":"m","params":${'['.repeat(1_000_000)}`)).toEqual({
      id: null,
      fault: 'invalid-request',
    });
  });

  it('keeps __proto__ as data and pollutes nothing', () => {
    const parsed = parseRequest(
      '{"jsonrpc":"2.0","id":1,"method":"m","params":{"__proto__":{"x":1}}}',
      LIMITS,
    );
    expect('params' in parsed && Object.keys(parsed.params ?? {})).toEqual(['__proto__']);
    expect(({} as { x?: number }).x).toBeUndefined();
  });

  it('answers any text', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string({ unit: 'binary' }), fc.json()), (text) => {
        const parsed = parseRequest(text, LIMITS);
        expect('error' in parsed ? parsed.error.name : parsed.method).toBeTypeOf('string');
      }),
    );
  });
});

describe('envelopes', () => {
  it('echo the id and embed the encoded text', () => {
    fc.assert(
      fc.property(
        fc.oneof(fc.string({ unit: 'binary' }), fc.maxSafeInteger(), fc.constant(null)),
        json,
        (id, value) => {
          const text = JSON.stringify(value);
          expect(JSON.parse(resultEnvelope(id, text))).toEqual({ jsonrpc: '2.0', id, result: value });
          expect(JSON.parse(errorEnvelope(id, text))).toEqual({ jsonrpc: '2.0', id, error: value });
        },
      ),
    );
  });

  it('stay well-formed text for an id with half a surrogate pair', () => {
    const text = resultEnvelope('\ud800', 'null');
    expect(text).toContain('\\ud800');
    expect(JSON.parse(text).id).toBe('\ud800');
  });
});

describe('exceedsDepth', () => {
  const depth = (value: JsonValue): number =>
    typeof value === 'object' && value !== null ? 1 + Math.max(0, ...Object.values(value).map(depth)) : 0;

  it('agrees with the depth of the parsed value', () => {
    fc.assert(
      fc.property(fc.json({ maxDepth: 6 }), fc.nat(6), (text, max) => {
        expect(exceedsDepth(text, max)).toBe(depth(JSON.parse(text)) > max);
      }),
    );
  });

  it.each([
    ['"[[[["', false],
    ['"\\"[[[["', false],
    ['"\\\\"', false],
    ['["\\\\",[[[', true],
    ['{"[{":"]"}', false],
    ['"[[[[', false],
  ])('reads strings of %s', (text, expected) => {
    expect(exceedsDepth(text, 2)).toBe(expected);
  });
});
