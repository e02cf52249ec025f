import { expect, it } from 'vitest';
import { readExtensions } from './extensions.ts';

it('reads comma-separated values of all headers in order, each URI once', () => {
  expect(readExtensions('https://a/1, urn:b ,,', null, 'urn:b,urn:c', undefined, '')).toEqual([
    'https://a/1',
    'urn:b',
    'urn:c',
  ]);
  expect(readExtensions()).toEqual([]);
});
