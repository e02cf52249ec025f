import { A2AError } from '@parley/protocol';
import { pino } from 'pino';
import { expect, it } from 'vitest';
import { ApiError } from '../../assistants/api-error.ts';
import { Unavailable } from '../../engine/unavailable.ts';
import { countInFlight } from '../in-flight.ts';
import { answerApi } from './answer.ts';

const inFlight = countInFlight();
const logger = pino({ level: 'silent' });
const options = { bodyLimit: 1, maxDepth: 1, inFlight, logger, newId: () => 'an-id' };

it.each<[unknown, number, object]>([
  [new ApiError('unknown', 'not there'), 404, { detail: 'not there' }],
  [new ApiError('conflict', 'in the way', { tasks: ['t'] }), 409, { detail: 'in the way', tasks: ['t'] }],
  [new ApiError('invalid', 'name: wrong'), 422, { detail: 'name: wrong' }],
  [new A2AError('payload-too-large', 'too large'), 413, { detail: 'too large' }],
  [new Unavailable('disk full'), 503, { detail: 'The server cannot store anything now' }],
  [new Error('password=hunter2'), 500, { detail: expect.stringMatching(/^(?!.*hunter2).*an-id/) }],
])('%s is told as %i', async (error, status, body) => {
  const response = await answerApi(options, () => Promise.reject(error));
  expect(response.status).toBe(status);
  expect(await response.json()).toEqual(body);
  expect(response.headers.get('retry-after')).toBe(status === 503 ? '10' : null);
  await inFlight.settled(60_000);
});
