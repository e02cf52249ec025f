import { describe, expect, it } from 'vitest';
import { type Killable, useKillables } from '../support/killable.ts';
import { connectV1_0, textOf } from '../support/story-clients.ts';

const { start, stop } = useKillables();

interface Answer {
  text: string;
  taskId?: string;
  state?: string;
  error?: RpcError;
}

interface RpcError {
  code: number;
  message: string;
  data?: { metadata?: { taskId?: string } }[];
}

async function send(server: Killable, text: string): Promise<Answer> {
  const message = { messageId: text, role: 'ROLE_USER', parts: [{ text: text.padEnd(20_000, '.') }] };
  const response = await fetch(server.endpoint('echo'), {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'a2a-version': '1.0' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'SendMessage', params: { message } }),
    signal: AbortSignal.timeout(15_000),
  });
  const { result, error } = (await response.json()) as {
    result?: { task: { id: string; status: { state: string } } };
    error?: RpcError;
  };
  if (error) return { text, error };
  return { text, ...(result ? { taskId: result.task.id, state: result.task.status.state } : {}) };
}

describe.skipIf(process.platform === 'win32')('a disk that is full', () => {
  it.each([1, 8])(
    'refuses with an error what it cannot store, and keeps what it answered; %i clients',
    async (clients) => {
      const server = await start({ fileKiB: 2_048 });
      const answers: Answer[] = [];
      let sent = 0;
      const client = async (): Promise<void> => {
        while (sent < 200 && !answers.some(({ error }) => error)) {
          sent += 1;
          answers.push(await send(server, `message ${sent}`));
        }
      };
      await Promise.all(Array.from({ length: clients }, client));
      const refusals = answers.flatMap(({ error }) => error ?? []);
      expect(refusals.length).toBeGreaterThan(0);
      const accepted: string[] = [];
      for (const { code, message, data } of refusals) {
        expect(message).not.toMatch(/sqlite|disk|I\/O/i);
        const taskId = data?.find(({ metadata }) => metadata?.taskId)?.metadata?.taskId;
        expect(code).toBe(-32000);
        // Accepted, and then its end could not be stored; or not accepted at all.
        if (taskId !== undefined) accepted.push(taskId);
      }
      // The log is what was full: it is carried over, and there is room again.
      for (let more = 0; more < 20; more++) answers.push(await send(server, `later ${more}`));
      expect(answers.slice(-20).some(({ state }) => state === 'TASK_STATE_COMPLETED')).toBe(true);
      await stop('SIGKILL');

      const reader = await connectV1_0((await start()).endpoint('echo'));
      for (const taskId of accepted) {
        await expect
          .poll(async () => (await reader.get(taskId)).state, { timeout: 10_000 })
          .toBe('completed');
      }
      const answered = answers.filter(({ state }) => state === 'TASK_STATE_COMPLETED');
      expect(answered.length).toBeGreaterThan(5);
      for (const { text, taskId = '' } of answered) {
        const task = await reader.get(taskId);
        expect(task.state).toBe('completed');
        expect(textOf(task.artifacts[0]?.parts ?? [])).toContain(`you said ${text}.`);
      }
    },
    60_000,
  );
});
