import { expect, it } from 'vitest';
import { serve } from '../support/serve.ts';
import { connectV1_0, type StoryEvent } from '../support/story-clients.ts';

const say = (text: string): { parts: [{ text: string }] } => ({ parts: [{ text }] });

it('a server that stops writes the end of a stream whose run ends in time', async () => {
  const served = await serve();
  const { gates } = served.fixture;
  gates.hold('slow');
  const events = (await connectV1_0(served.endpoint('slow'))).stream(say('wait'));
  const seen: StoryEvent[] = [(await events.next()).value as StoryEvent];
  await gates.reached('slow');
  const closed = served.parley.close(5_000);
  gates.open('slow');
  for await (const event of events) seen.push(event);
  await closed;
  expect(seen.at(-1)).toEqual({ kind: 'status', state: 'completed' });
  await served.close();
});

it('a server that stops answers who still waits with the task as it stands', async () => {
  const served = await serve();
  const { gates } = served.fixture;
  gates.hold('slow');
  const answer = (await connectV1_0(served.endpoint('slow'))).send(say('wait'));
  await gates.reached('slow');
  await served.parley.close(0);
  expect((await answer).state).toBe('working');
  gates.open('slow');
  await served.close();
});
