import * as agent from '@parley/agent';
import * as v0_3 from '@parley/protocol/v0_3';
import * as v1_0 from '@parley/protocol/v1_0';
import * as server from '@parley/server';
import { expect, it } from 'vitest';

/** What a package exports is a promise: a change here is a change for its users. */
it.each([
  [
    '@parley/agent',
    agent,
    ['TURN_KEY', 'a2aChannels', 'a2aTurn', 'dataOf', 'filesOf', 'isTurnChunk', 'textOf'],
  ],
  ['@parley/server', server, ['createParley']],
  ['@parley/protocol/v1_0', v1_0, ['codec', 'decodeMessage', 'decodePart']],
  ['@parley/protocol/v0_3', v0_3, ['codec']],
])('%s exports these names', (_, module, names) => {
  expect(Object.keys(module).sort()).toEqual([...names].sort());
});
