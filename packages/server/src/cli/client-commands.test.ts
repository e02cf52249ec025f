import { once } from 'node:events';
import { createServer as createHttpServer } from 'node:http';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { streamResponseSchema, taskSchema } from '@parley/protocol';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import {
  buildParley,
  endParleys,
  type ParleyProcess,
  runParley,
  spawnParley,
} from '../../test/parley-process.ts';
import { AGENTS, AGENTS_CONFIG, createProject, type Project } from '../../test/project.ts';

let project: Project;
let server: ParleyProcess;
let base: string;

vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });
beforeAll(async () => {
  await buildParley();
  project = createProject({
    'package.json': { type: 'module' },
    'agents.ts': AGENTS,
    'langgraph.json': AGENTS_CONFIG,
    'notes.csv': 'a,b\n',
    'main.ts': 'export {};\n',
  });
  server = spawnParley(['start', '--port', '0'], {
    cwd: project.folder,
    env: { PARLEY_TEST_WINS: 'environment' },
  });
  const [, url] = await server.output(/"url":"(http:\/\/127\.0\.0\.1:\d+)"/);
  base = `${url}/a2a`;
});
afterAll(async () => {
  server.child.kill('SIGTERM');
  expect(await server.ended).toBe(0);
  await endParleys();
  project.remove();
});

const json = (text: string) => JSON.parse(text);
const taskIn = (text: string): string => /task ([0-9a-f-]{36})/.exec(text)?.[1] ?? '';
const contextIn = (text: string): string => /context ([0-9a-f-]{36})/.exec(text)?.[1] ?? '';

describe('send', () => {
  test('the answer is on stdout, everything about it on stderr', async () => {
    const { code, stdout, stderr } = await runParley(['send', `${base}/echo`, 'hi']);
    expect(json(stdout)).toEqual({ text: 'hi', data: [], files: [] });
    expect(stderr).toMatch(/^completed {2}task [0-9a-f-]{36} {2}context [0-9a-f-]{36}\n$/);
    expect(code).toBe(0);
  });

  test('a trailing slash, the card itself and stdin do as well', async () => {
    const slash = await runParley(['send', `${base}/echo/`, '-'], { input: 'from stdin' });
    expect(json(slash.stdout).text).toBe('from stdin');
    const card = await runParley(['send', `${base}/echo/.well-known/agent-card.json`, 'hi']);
    expect(json(card.stdout).text).toBe('hi');
  });

  test('--data and --file become parts, with a media type by extension', async () => {
    const { stdout } = await runParley([
      ...['send', `${base}/echo`, 'look', '--data', '{"a":1}', '--data', '[2]'],
      ...['--file', join(project.folder, 'notes.csv'), '--file', join(project.folder, 'main.ts')],
    ]);
    expect(json(stdout)).toEqual({
      text: 'look',
      data: [{ a: 1 }, [2]],
      files: [
        ['notes.csv', 'text/csv', 'a,b\n'],
        ['main.ts', 'text/typescript', 'export {};\n'],
      ],
    });
    const alone = await runParley(['send', `${base}/echo`, '--data', '3']);
    expect(json(alone.stdout)).toEqual({ text: '', data: [3], files: [] });
  });

  test('--json prints one value in the shape of A2A 1.0', async () => {
    const { code, stdout } = await runParley(['send', `${base}/echo`, 'hi', '--json']);
    expect(stdout.trimEnd()).not.toContain('\n');
    const task = taskSchema.parse(json(stdout).task);
    expect(task.status.state).toBe('TASK_STATE_COMPLETED');
    expect(code).toBe(0);
  });

  test('--stream writes the pieces as they come, before the end', async () => {
    const send = spawnParley(['send', `${base}/gate`, 'go', '--stream']);
    await send.output(/first /);
    expect(send.stdout()).toBe('first ');
    await runParley(['send', `${base}/gate`, 'open', '--stream']);
    expect(await send.ended).toBe(0);
    expect(send.stdout()).toBe('first second\n');
  });

  test('--stream --json prints one event a line', async () => {
    const { stdout, stderr } = await runParley(['send', `${base}/gate`, 'open', '--stream', '--json']);
    const events = stdout
      .trimEnd()
      .split('\n')
      .map((line) => streamResponseSchema.parse(json(line)));
    expect(events[0]).toHaveProperty('task');
    expect(events.some((event) => 'artifactUpdate' in event)).toBe(true);
    expect(events.at(-1)).toMatchObject({ statusUpdate: { status: { state: 'TASK_STATE_COMPLETED' } } });
    expect(stderr).toBe('');
  });

  test('--context goes on with a conversation', async () => {
    const first = await runParley(['send', `${base}/echo`, 'hi']);
    const context = contextIn(first.stderr);
    const second = await runParley(['send', `${base}/echo`, 'again', '--context', context]);
    expect(contextIn(second.stderr)).toBe(context);
    expect(taskIn(second.stderr)).not.toBe(taskIn(first.stderr));
  });

  test.each([
    ['blocking', []],
    ['streamed', ['--stream']],
  ])('a question comes with the command that answers it (%s)', async (_, flags) => {
    const asked = await runParley(['send', `${base}/approve`, 'please', ...flags]);
    expect(asked.code).toBe(0);
    const [question, answer] = asked.stdout.trimEnd().split('\n');
    expect(question).toBe('May I?');
    const task = taskIn(asked.stderr);
    expect(answer).toBe(`answer with: parley send ${base}/approve '{"approved":true}' --task ${task}`);
    const refused = await runParley(['send', `${base}/approve`, 'perhaps', '--task', task]);
    expect(refused).toMatchObject({ code: 1, stdout: '' });
    expect(refused.stderr).toMatch(/^error: .*\(-32602\)/);
    const done = await runParley(['send', `${base}/approve`, '{"approved":true}', '--task', task, ...flags]);
    expect(done).toMatchObject({ code: 0, stdout: 'done\n' });
  });

  test('a question without a schema is answered by text', async () => {
    const asked = await runParley(['send', `${base}/echo`, 'ask']);
    expect(asked.stdout).toContain(
      `Which colour?\nanswer with: parley send ${base}/echo 'your answer' --task `,
    );
    const done = await runParley([
      'send',
      `${base}/echo`,
      'blue',
      '--task',
      taskIn(asked.stdout + asked.stderr),
    ]);
    expect(json(done.stdout).text).toBe('blue');
  });

  test('a failed or rejected task exits with 1 and says why, without the cause', async () => {
    const failed = await runParley(['send', `${base}/echo`, 'fail']);
    expect(failed).toMatchObject({ code: 1, stdout: '' });
    expect(failed.stderr).toMatch(/correlation id/);
    expect(failed.stderr).not.toContain('secret');
    const rejected = await runParley(['send', `${base}/echo`, 'reject', '--stream']);
    expect(rejected).toMatchObject({ code: 1, stdout: '' });
    expect(rejected.stderr).toMatch(/^not this one\nrejected/);
    expect((await runParley(['send', `${base}/echo`, 'reject', '--json'])).code).toBe(1);
  });

  test("variables of the configuration's env reach the agents; the environment's own win", async () => {
    expect((await runParley(['send', `${base}/echo`, 'env'])).stdout).toBe('hello environment\n');
  });
});

describe('tasks', () => {
  test('list, get, --json', async () => {
    const sent = await runParley(['send', `${base}/echo`, 'listed', '--context', 'a-context']);
    const id = taskIn(sent.stderr);
    const list = await runParley([
      'tasks',
      'list',
      `${base}/echo`,
      '--context',
      'a-context',
      '--state',
      'completed',
    ]);
    expect(list.stdout).toMatch(new RegExp(`^${id}  completed +\\S+Z  a-context\n$`));
    const page = json((await runParley(['tasks', 'list', `${base}/echo`, '--limit', '1', '--json'])).stdout);
    expect(page).toMatchObject({ pageSize: 1, nextPageToken: expect.any(String) });
    expect(page.tasks).toHaveLength(1);
    const get = await runParley(['tasks', 'get', `${base}/echo`, id]);
    expect(json(get.stdout).text).toBe('listed');
    expect(
      taskSchema.parse(json((await runParley(['tasks', 'get', `${base}/echo`, id, '--json'])).stdout)).id,
    ).toBe(id);
  });

  test('an unknown task exits with 1; --json prints the error that the agent gave', async () => {
    const { code, stdout, stderr } = await runParley(['tasks', 'get', `${base}/echo`, 'nope', '--json']);
    expect(code).toBe(1);
    expect(json(stdout).error.code).toBe(-32001);
    expect(stderr).toBe('error: Task not found (-32001)\n');
  });

  test('watch follows a task to its end, cancel ends it', async () => {
    const send = spawnParley(['send', `${base}/wait`, 'long', '--stream', '--json']);
    const [, id = ''] = await send.output(/"task":\{"id":"([^"]+)"/);
    const watch = spawnParley(['tasks', 'watch', `${base}/wait`, id, '--json']);
    await watch.output(/"task":\{/);
    const cancel = await runParley(['tasks', 'cancel', `${base}/wait`, id]);
    expect(cancel).toMatchObject({ code: 0 });
    expect(cancel.stdout).toMatch(/^canceled {2}task /);
    expect(await watch.ended).toBe(1);
    expect(watch.stdout()).toContain('TASK_STATE_CANCELED');
    expect(await send.ended).toBe(1);
    const again = await runParley(['tasks', 'watch', `${base}/wait`, id]);
    expect(again.code).toBe(1);
    expect(again.stderr).toMatch(/^canceled {2}task /);
  });

  test('watch prints the question of a task that waits, and its end when it is answered', async () => {
    const asked = await runParley(['send', `${base}/approve`, 'please']);
    const id = taskIn(asked.stderr);
    const watch = spawnParley(['tasks', 'watch', `${base}/approve`, id]);
    await watch.output(/answer with: /);
    expect(watch.stdout()).toMatch(/^May I\?\nanswer with: parley send /);
    await runParley(['send', `${base}/approve`, '{"approved":true}', '--task', id]);
    expect(await watch.ended).toBe(0);
    expect(watch.stdout()).toMatch(/\ndone\n$/);
  });
});

describe('card', () => {
  test('plain and --json', async () => {
    const plain = await runParley(['card', `${base}/echo`]);
    expect(plain.stdout).toContain(`Says what it was sent\n  JSONRPC 1.0  ${base}/echo\n`);
    const card = json((await runParley(['card', `${base}/echo`, '--json'])).stdout);
    expect(card).toMatchObject({ name: 'echo', supportedInterfaces: [{ url: `${base}/echo` }, {}] });
  });
});

describe('usage', () => {
  test.each([
    [['send'], "missing required argument 'url'"],
    [['frobnicate'], "unknown command 'frobnicate'"],
    [['send', 'not-a-url', 'hi'], "'not-a-url' is no URL"],
    [
      ['send', 'http://127.0.0.1:1', 'hi', '--data', '{x'],
      "option '--data <json>' argument '{x' is invalid. Expected JSON",
    ],
    [
      ['send', 'http://127.0.0.1:1', 'hi', '--file', '/nowhere/at/all'],
      '--file /nowhere/at/all: there is no such file',
    ],
    [['send', 'http://127.0.0.1:1'], 'nothing to send'],
    [['send', 'http://127.0.0.1:1', 'hi', '--task', ''], 'Expected an id'],
    [['send', 'http://127.0.0.1:1', 'hi', '--context', ''], 'Expected an id'],
    [['send', 'http://127.0.0.1:1', 'hi', '--file', '/'], '--file /: it is a folder'],
    [['send', 'http://127.0.0.1:1', 'hi'], 'cannot reach http://127.0.0.1:1'],
    [['send', 'http://127.0.0.1:1', 'hi', '--header', 'x'], 'Expected "Name: value"'],
    [['start', '--port', '70000'], 'Expected a port from 0 to 65535'],
    [['tasks', 'list', 'http://127.0.0.1:1', '--state', 'odd'], 'Allowed choices are submitted, working'],
  ])('%j names what is wrong and exits with 2', async (args, message) => {
    const { code, stdout, stderr } = await runParley(args);
    expect(stderr).toContain(message);
    expect(stdout).toBe('');
    expect(code).toBe(2);
  });

  test('a connection that closes before it answers is said, too', async () => {
    const closer = createServer((socket) => socket.destroy());
    await once(closer.listen(0, '127.0.0.1'), 'listening');
    const { port } = closer.address() as AddressInfo;
    const { code, stderr } = await runParley(['send', `http://127.0.0.1:${port}/a2a/x`, 'hi']);
    closer.close();
    expect(stderr).toContain('connection was closed');
    expect(code).toBe(2);
  });

  test.each([[], ['--stream']])('U02: an answer to another request is refused %j', async (...options) => {
    const answer = { task: { id: 't', contextId: 'c', status: { state: 'TASK_STATE_COMPLETED' } } };
    const body = JSON.stringify({ jsonrpc: '2.0', id: 'another', result: answer });
    const liar = createHttpServer((request, response) => {
      const url = `http://${request.headers.host}/a2a/x`;
      if (request.method === 'GET') {
        const supportedInterfaces = [{ url, protocolBinding: 'JSONRPC', protocolVersion: '1.0' }];
        const capabilities = { streaming: true };
        const modes = { defaultInputModes: [], defaultOutputModes: [], skills: [] };
        const card = {
          name: 'x',
          description: 'x',
          version: '1',
          supportedInterfaces,
          capabilities,
          ...modes,
        };
        response.setHeader('content-type', 'application/json').end(JSON.stringify(card));
      } else if (options.length === 0) response.setHeader('content-type', 'application/json').end(body);
      else response.setHeader('content-type', 'text/event-stream').end(`data: ${body}\n\n`);
    });
    await once(liar.listen(0, '127.0.0.1'), 'listening');
    const { port } = liar.address() as AddressInfo;
    const { code, stdout, stderr } = await runParley([
      'send',
      `http://127.0.0.1:${port}/a2a/x`,
      'hi',
      ...options,
    ]);
    liar.close();
    expect(stderr).toMatch(/response ID mismatch/);
    expect(stdout).toBe('');
    expect(code).not.toBe(0);
  });

  test('an unknown agent names the ones there are', async () => {
    const { code, stderr } = await runParley(['send', `${base}/nobody`, 'hi']);
    expect(code).toBe(2);
    expect(stderr).toContain("there is no assistant 'nobody'; it serves echo, gate, wait, approve");
  });

  test('--help and --version exit with 0', async () => {
    expect(await runParley(['--version'])).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^\d+\.\d+\.\d+\n$/),
    });
    const help = await runParley(['send', '--help']);
    expect(help).toMatchObject({ code: 0, stdout: expect.stringContaining('--stream') });
  });
});
