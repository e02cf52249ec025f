import { describe, expect, it } from 'vitest';
import { agreeVersion, parseVersion } from './version.ts';

const refused = expect.objectContaining({ name: 'A2AError', kind: 'version-not-supported' });

describe('parseVersion', () => {
  it.each([
    ['1.0', '1.0'],
    ['1.0.7', '1.0'],
    [' 1.0 ', '1.0'],
    ['0.3', '0.3'],
    ['0.3.0', '0.3'],
    ['', undefined],
    ['  ', undefined],
    [undefined, undefined],
    [null, undefined],
  ])('reads %j as %j', (text, expected) => {
    expect(parseVersion(text)).toBe(expected);
  });

  it.each([
    '99.0',
    '1.1',
    '2.0',
    '1',
    '1.',
    '0.2.5',
    'v1.0',
    '1.0-beta',
    '1.0, 0.3',
    '1.0.0.0',
    '01.0',
    '__proto__',
  ])('refuses %j and names what is supported', (text) => {
    expect(() => parseVersion(text)).toThrow(refused);
    expect(() => parseVersion(text)).toThrow(/1\.0, 0\.3/);
  });
});

describe('agreeVersion', () => {
  it('lets the method decide when no version is sent', () => {
    expect(agreeVersion({ methodVersion: '1.0' })).toBe('1.0');
    expect(agreeVersion({ methodVersion: '0.3', header: '' })).toBe('0.3');
  });

  it('refuses a 1.0 method without a version when strict', () => {
    expect(() => agreeVersion({ methodVersion: '1.0', strict: true })).toThrow(refused);
    expect(agreeVersion({ methodVersion: '0.3', strict: true })).toBe('0.3');
    expect(agreeVersion({ methodVersion: '1.0', header: '1.0', strict: true })).toBe('1.0');
  });

  it('reads the query parameter where there is no header', () => {
    expect(agreeVersion({ methodVersion: '1.0', query: '1.0.3' })).toBe('1.0');
    expect(agreeVersion({ methodVersion: '1.0', header: '1.0', query: '0.3' })).toBe('1.0');
    expect(() => agreeVersion({ methodVersion: '1.0', header: '', query: '0.3' })).toThrow(refused);
  });

  it('refuses a version that contradicts the method', () => {
    expect(() => agreeVersion({ methodVersion: '1.0', header: '0.3' })).toThrow(refused);
    expect(() => agreeVersion({ methodVersion: '0.3', header: '1.0' })).toThrow(refused);
  });

  it('checks the version also for an unknown method', () => {
    expect(() => agreeVersion({ header: '99.0' })).toThrow(refused);
    expect(agreeVersion({ header: '0.3' })).toBe('0.3');
    expect(agreeVersion({})).toBe('1.0');
  });
});
