import { partSchema } from '@parley/protocol';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { assertArtifact, assertSaid } from './check-said.ts';
import { a2aTurn, type Turn } from './turn.ts';
import { TURN_KEY } from './turn-wire.ts';

const one = [{ text: 'x' }];

test.each<[unknown, string]>([
  [undefined, 'expected an object with parts'],
  [{}, 'parts: expected at least one part'],
  [{ parts: [] }, 'parts: expected at least one part'],
  [{ parts: 'x' }, 'parts: expected at least one part'],
  [{ parts: [null] }, 'parts[0]: expected an object with text, data, raw or url'],
  [{ parts: ['x'] }, 'parts[0]: expected an object with text, data, raw or url'],
  [{ parts: [{ text: 'x' }, { text: 5 }] }, 'parts[1].text: expected a string'],
  [{ parts: [{ text: 'x', raw: 'eA==' }] }, 'parts[0]: expected one of text, data, raw and url'],
  [{ parts: [{}] }, 'parts[0]: expected one of text, data, raw and url'],
  [
    { parts: [{ kind: 'text', text: 'x' }] },
    'parts[0].kind: is none of text, data, raw, url, filename, mediaType, metadata',
  ],
  [{ parts: [{ raw: '@@@' }] }, 'parts[0].raw: expected base64'],
  [{ parts: [{ raw: new Uint8Array(3) }] }, 'parts[0].raw: expected base64'],
  [{ parts: [{ url: 'u', filename: 5 }] }, 'parts[0].filename: expected a string'],
  [{ parts: [{ text: 'x', metadata: [] }] }, 'parts[0].metadata: expected an object'],
  [{ parts: one, name: 7 }, 'name: expected a string'],
  [{ parts: one, append: 'yes' }, 'append: expected true or false'],
  [{ parts: one, extensions: 'urn:x' }, 'extensions: expected a list of strings'],
])('an artifact %j is refused by name', (artifact, problem) => {
  expect(() => assertArtifact(artifact)).toThrow(new TypeError(`turn.artifact: ${problem}`));
});

test('what a turn says is refused under the name of its method', () => {
  const config = { configurable: { [TURN_KEY]: { taskId: 't' } }, writer: () => {} };
  const turn = a2aTurn(config as never) as Turn;
  const wrong = { parts: [{ text: 5 }] } as never;
  for (const method of ['status', 'requireInput', 'requireAuth', 'reject', 'fail', 'reply'] as const) {
    expect(() => turn[method](wrong)).toThrow(`turn.${method}: parts[0].text: expected a string`);
    expect(() => turn[method](undefined as never)).toThrow(`turn.${method}: expected an object with parts`);
    turn[method]('words');
  }
  expect(() => turn.task('o').status(wrong)).toThrow('turn.status: parts[0].text');
  expect(() => turn.task('o').artifact({ parts: [] })).toThrow('turn.artifact: parts: expected at least one');
});

test('parts that are accepted are parts of A2A', () => {
  const member = fc.oneof(fc.string(), fc.constantFrom('eA==', undefined), fc.jsonValue());
  const part = fc.dictionary(fc.constantFrom('text', 'data', 'raw', 'url', 'filename', 'metadata'), member);
  fc.assert(
    fc.property(part, (made) => {
      const clean = JSON.parse(JSON.stringify(made));
      try {
        assertSaid('status', { parts: [clean] });
      } catch {
        return;
      }
      // Empty names and addresses aside, which are left out of what is asked here.
      if (clean.filename === '' || clean.url === '' || (clean.raw?.length ?? 0) % 4 !== 0) return;
      expect(partSchema.safeParse(clean).success).toBe(true);
    }),
  );
});
