import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { formatTimestamp, parseTimestamp } from './timestamp.ts';

describe('timestamps', () => {
  it('round trip', () => {
    fc.assert(
      fc.property(
        fc.date({ min: new Date('0000-01-01'), max: new Date('9999-12-31'), noInvalidDate: true }),
        (date) => {
          expect(parseTimestamp(formatTimestamp(date.getTime()))).toBe(date.getTime());
        },
      ),
    );
  });

  it.each([
    ['2024-01-01T00:00:00Z', '2024-01-01T00:00:00.000Z'],
    ['2024-01-01t01:00:00.5+01:00', '2024-01-01T00:00:00.500Z'],
    ['2023-12-31T23:30:00-00:30', '2024-01-01T00:00:00.000Z'],
    ['2024-02-29T00:00:00.000001Z', '2024-02-29T00:00:00.001Z'],
    ['2024-01-01T00:00:00.999999999Z', '2024-01-01T00:00:01.000Z'],
  ])('reads %s as %s', (text, expected) => {
    expect(formatTimestamp(parseTimestamp(text) ?? Number.NaN)).toBe(expected);
  });

  it.each([
    'yesterday',
    '2024-01-01',
    '2024-01-01T00:00:00',
    '2024-13-01T00:00:00Z',
    '2023-02-29T00:00:00Z',
    '2024-01-01T24:00:00Z',
    '2024-01-01T00:60:00Z',
    '2024-01-01T00:00:00+24:00',
    '1704067200',
    '',
  ])('refuses %j', (text) => {
    expect(parseTimestamp(text)).toBeUndefined();
  });
});
