import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import type { Part } from '@parley/protocol';
import { type Say, send } from '../shared/a2a.ts';
import { runStory } from '../shared/run-story.ts';

/** A receipt goes up, a question comes back, its answer brings the report. Returns the report. */
export async function expenseStory(baseUrl: string, say: Say = console.log): Promise<string> {
  const url = `${baseUrl}/a2a/expense-desk`;
  const receipt = await readFile(new URL('receipt.csv', import.meta.url));
  const asked = await send(url, [
    { text: 'Please file this receipt.' },
    { raw: receipt.toString('base64'), filename: 'receipt.csv', mediaType: 'text/csv' },
    { data: { costCenter: 'R&D', limit: 100 } },
  ]);
  assert.equal(asked.status.state, 'TASK_STATE_INPUT_REQUIRED');
  const question = asked.status.message?.parts.find((part) => 'text' in part)?.text;
  say(`desk: ${question}`);
  assert.match(question ?? '', /296\.40 EUR for cost center R&D/);

  const answer = { approved: true, note: 'nice trip' };
  say(`boss: ${JSON.stringify(answer)}`);
  const filed = await send(url, [{ data: { resume: answer } }], { taskId: asked.id });
  assert.equal(filed.status.state, 'TASK_STATE_COMPLETED');
  const file = filed.artifacts?.[0]?.parts.find(
    (part): part is Extract<Part, { raw: string }> => 'raw' in part,
  );
  assert.ok(file, 'the answer has no file');
  const report = Buffer.from(file.raw, 'base64').toString('utf8');
  say(`desk: ${filed.answer()}\n[${file.filename}, ${file.mediaType}]\n${report}`);
  assert.equal(file.filename, 'expense-report.csv');
  assert.match(report, /^total,296\.40,nice trip$/m);
  return report;
}

await runStory(import.meta.url, expenseStory);
