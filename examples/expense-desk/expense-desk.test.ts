import type { Part } from '@parley/protocol';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { send } from '../shared/a2a.ts';
import { serveExamples } from '../shared/serve.ts';
import { expenseStory } from './story.ts';

let server: Awaited<ReturnType<typeof serveExamples>>;
let url: string;
beforeAll(async () => {
  server = await serveExamples();
  url = `${server.url}/a2a/expense-desk`;
});
afterAll(() => server.close());

const receipt = (csv: string): Part => ({
  raw: Buffer.from(csv).toString('base64'),
  filename: 'taxi.csv',
  mediaType: 'text/csv',
});

test('a receipt goes up, a question comes back, its answer brings the report', async () => {
  expect(await expenseStory(server.url, () => {})).toContain('Hotel,142.00,R&D');
});

test('the question carries the schema of its answer', async () => {
  const asked = await send(url, [{ text: 'file it' }, receipt('item,amount\ntaxi,99')]);
  const artifact = asked.artifacts?.find(({ name }) => name === 'Interrupt');
  expect(artifact?.parts[0]).toMatchObject({
    data: {
      value: { question: 'Approve 99.00 EUR for cost center none?' },
      responseSchema: { type: 'object' },
    },
  });
  await expect(send(url, [{ text: 'maybe' }], { taskId: asked.id })).rejects.toThrow('-32602');
  const filed = await send(url, [{ text: '{"approved": true}' }], { taskId: asked.id });
  expect(filed.answer()).toBe('Filed 99.00 EUR from taxi.csv under none.');
});

test('a declined expense files nothing', async () => {
  const asked = await send(url, [{ text: 'file it' }, receipt('item,amount\nyacht,90000')]);
  const declined = await send(url, [{ data: { resume: { approved: false, note: 'too much' } } }], {
    taskId: asked.id,
  });
  expect(declined.status.state).toBe('TASK_STATE_COMPLETED');
  expect(declined.answer()).toBe('The expense was declined: too much. Nothing was filed.');
  expect(declined.artifacts?.flatMap(({ parts }) => parts).filter((part) => 'raw' in part)).toEqual([]);
});

test('a small amount needs no approval, and the next turn of the context is a new expense', async () => {
  const filed = await send(url, [{ text: 'file it' }, receipt('item,amount\ntaxi,20')]);
  expect(filed.answer()).toBe('Filed 20.00 EUR from taxi.csv under none.');
  const next = await send(url, [{ text: 'and this' }, receipt('item,amount\nbus,3.5')], {
    contextId: filed.contextId,
  });
  expect(next.answer()).toBe('Filed 3.50 EUR from taxi.csv under none.');
});

test('without a receipt the desk asks for one', async () => {
  const asked = await send(url, [{ text: 'file it' }]);
  expect(asked.answer()).toMatch(/^Please attach the receipt as a CSV file/);
});
