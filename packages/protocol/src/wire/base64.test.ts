import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { normaliseBase64 } from './base64.ts';

describe('normaliseBase64', () => {
  it('makes standard base64 of every form', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 64 }), (bytes) => {
        const buffer = Buffer.from(bytes);
        const standard = buffer.toString('base64');
        const url = buffer.toString('base64url');
        const forms = [standard, standard.replaceAll('=', ''), url, url.padEnd(standard.length, '=')];
        expect(forms.map(normaliseBase64)).toEqual(forms.map(() => standard));
      }),
    );
  });

  it('accepts a text only if it means the bytes that it becomes', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom(...'AZaz09+/-_=Q') }), (text) => {
        const result = normaliseBase64(text);
        if (result === undefined) return;
        expect(Buffer.from(result, 'base64')).toEqual(Buffer.from(text, 'base64'));
        expect(Buffer.from(result, 'base64').toString('base64')).toBe(result);
      }),
      { numRuns: 1000 },
    );
  });

  it.each([
    'A',
    'AAAAA',
    'QQ=',
    'QQ===',
    'QUI==',
    'QUJD=',
    '=',
    '====',
    'QQ==QQ==',
    'Q Q=',
    'QQ\n',
    'é',
    '!!!!',
  ])('refuses %j', (text) => {
    expect(normaliseBase64(text)).toBeUndefined();
  });

  it('clears the bits after the last byte', () => {
    expect(normaliseBase64('QR==')).toBe('QQ==');
    expect(normaliseBase64('QUJ')).toBe('QUI=');
  });
});
