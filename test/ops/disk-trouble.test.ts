import { execFileSync } from 'node:child_process';
import { rmSync, statfsSync, writeFileSync } from 'node:fs';
import { describe, expect, it, vi } from 'vitest';
import { openDatabase } from '../../packages/server/src/store/sqlite/database.ts';
import { runParley, spawnParley } from '../../packages/server/test/parley-process.ts';
import { readDatabase } from '../chaos/read-database.ts';
import { damagePages } from './damage.ts';
import { type Sent, sendText } from './send-text.ts';
import { withSmallDisk } from './small-disk.ts';
import { useProject } from './use-project.ts';

vi.setConfig({ testTimeout: 90_000, hookTimeout: 60_000 });
const project = useProject({
  'agent.ts': `export const agent = { invoke: ({ text }) => 'said ' + text };\n`,
  'langgraph.json': { graphs: { one: './agent.ts:agent' } },
});
const { at } = project;

const start = (database: string) => ['start', '--port', '0', '--database', database];

/** A server that does not start says so in one line, which names the file and the cause. */
async function startFails(database: string, ...causes: string[]): Promise<void> {
  const { code, stdout, stderr } = await runParley(start(database), { cwd: project.folder });
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
  expect(stderr).toMatch(/^error: cannot start: .*\n$/);
  for (const cause of [database, ...causes]) expect(stderr).toContain(cause);
}

describe('a server does not start', () => {
  it('on a database whose pages were overwritten', async () => {
    openDatabase(at('p.db')).close();
    damagePages(at('p.db'), { from: 3, every: 2 });
    await startFails(at('p.db'), 'damaged', 'restore it from a backup');
  });

  it.skipIf(process.platform === 'win32')('on a disk that is full, or read-only', async (context) => {
    await withSmallDisk(context, at('disk'), async () => {
      openDatabase(at('disk/p.db')).close();
      fill();
      await startFails(at('disk/new.db'), 'no space is left', 'make room');
      rmSync(at('disk/filler'));
      execFileSync('mount', ['-o', 'remount,ro', at('disk')]);
      for (const name of ['p.db', 'new.db', 'folder/new.db']) {
        await startFails(at(`disk/${name}`), 'cannot be written to', 'permissions');
      }
    });
  });
});

describe('a server whose database breaks under it', () => {
  it('answers with what is right or with an error, and does not start again', async () => {
    const first = spawnParley(start(at('p.db')), { cwd: project.folder });
    const [, base = ''] = await first.output(/"url":"(http:\/\/127\.0\.0\.1:\d+)"/);
    const said = new Map<string, string>();
    for (let n = 0; n < 40; n++) {
      const text = `${n} `.padEnd(3_000, 'y');
      const { task } = await sendText(`${base}/a2a/one`, text);
      said.set(task?.id ?? '', `said ${text}`);
    }
    first.child.kill('SIGTERM');
    expect(await first.ended).toBe(0);

    const second = spawnParley(start(at('p.db')), { cwd: project.folder });
    const [, url = ''] = await second.output(/"url":"(http:\/\/127\.0\.0\.1:\d+)"/);
    damagePages(at('p.db'), { from: 5, every: 1 });
    let errors = 0;
    for (const [id, text] of said) {
      const { result, error } = await getTask(`${url}/a2a/one`, id);
      if (error) {
        expect(error.code).toBe(-32603);
        expect(error.message).not.toMatch(/sqlite|malformed|disk/i);
        errors += 1;
      } else expect(JSON.stringify(result)).toContain(text);
    }
    expect(errors).toBeGreaterThan(20);
    await second.output(/request failed/);
    second.child.kill('SIGTERM');
    await second.ended;
    await startFails(at('p.db'), 'damaged', 'restore it from a backup');
  });
});

async function getTask(endpoint: string, id: string): Promise<{ result?: object; error?: Sent['error'] }> {
  const response = await fetch(endpoint, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'a2a-version': '1.0' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'GetTask', params: { id } }),
    signal: AbortSignal.timeout(15_000),
  });
  return (await response.json()) as { result?: object; error?: Sent['error'] };
}

/** Takes every byte that is left. */
function fill(): void {
  const { bavail, bsize } = statfsSync(at('disk'));
  writeFileSync(at('disk/filler'), Buffer.alloc(bavail * bsize));
}

describe('a server whose disk fills up', () => {
  it.skipIf(process.platform === 'win32')(
    'refuses with 503, keeps what it accepted, and goes on when there is room',
    async (context) => {
      const body = async (): Promise<void> => {
        const server = spawnParley(start(at('disk/p.db')), { cwd: project.folder });
        const [, base = ''] = await server.output(/"url":"(http:\/\/127\.0\.0\.1:\d+)"/);
        const answers: Sent[] = [];
        const send = async (): Promise<Sent> => {
          const answer = await sendText(`${base}/a2a/one`, 'x'.repeat(5_000));
          answers.push(answer);
          return answer;
        };
        const refused = () => answers.filter(({ error }) => error);
        for (let n = 0; n < 5; n++) await send();
        expect(refused()).toEqual([]);
        fill();
        for (let n = 0; refused().length < 3 && n < 200; n++) await send();
        expect(refused()).toHaveLength(3);
        for (const { status, error } of refused()) {
          expect({ status, code: error?.code }).toEqual({ status: 503, code: -32000 });
          expect(error?.message).not.toMatch(/sqlite|disk/i);
        }
        // What is stored can be read all the same.
        const [first] = answers;
        const got = await runParley(['tasks', 'get', `${base}/a2a/one`, first?.task?.id ?? '']);
        expect(got).toMatchObject({ code: 0, stdout: expect.stringContaining('said xxx') });
        rmSync(at('disk/filler'));
        await expect
          .poll(async () => (await send()).task?.status.state, { timeout: 30_000 })
          .toBe('TASK_STATE_COMPLETED');
        for (let n = 0; n < 5; n++) expect((await send()).error).toBeUndefined();
        server.child.kill('SIGKILL');
        await server.ended;

        // A run that lost its disk begins again; the next server need not wait for that.
        const next = spawnParley(start(at('disk/p.db')), { cwd: project.folder });
        await next.output(/"url":"(http:\/\/127\.0\.0\.1:\d+)"/);
        const taskIds = answers.flatMap(({ task }) => task?.id ?? []);
        expect(taskIds.length).toBeGreaterThan(10);
        next.child.kill('SIGTERM');
        expect(await next.ended).toBe(0);
        const { tasks, faults } = readDatabase(at('disk/p.db'));
        expect(faults).toEqual([]);
        for (const id of taskIds) expect(tasks.get(id)?.state).toBe('TASK_STATE_COMPLETED');
      };
      await withSmallDisk(context, at('disk'), body, { kib: 4_096 });
    },
  );
});
