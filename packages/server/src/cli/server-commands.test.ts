import { existsSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest';
import { buildParley, endParleys, runParley, spawnParley } from '../../test/parley-process.ts';
import { AGENTS, AGENTS_CONFIG, createProject, type Project } from '../../test/project.ts';

const agent = (answer: string): string => `export const agent = { invoke: () => '${answer}' };\n`;
const CONFIG = { graphs: { one: './agent.ts:agent' } };

let project: Project;
const create = (files: { [name: string]: string | object }): Project => {
  project = createProject(files);
  return project;
};

vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });
beforeAll(buildParley);
afterEach(() => project.remove());
afterAll(endParleys);

test('start logs JSON to a pipe, keeps its database beside the configuration, and exits with 0 on SIGTERM', async () => {
  const { folder } = create({ 'agent.ts': agent('hi'), 'langgraph.json': CONFIG });
  const server = spawnParley(['start', '--port', '0'], { cwd: folder });
  await server.output(/"msg":"listening"/);
  const line = JSON.parse(server.stdout().split('\n')[0] ?? '');
  expect(line.agents).toEqual([{ graph: 'one', url: `${line.url}/a2a/one` }]);
  expect(line.next).toBe(`parley send ${line.url}/a2a/one 'Hello!' --stream`);
  expect(existsSync(join(folder, '.parley', 'parley.db'))).toBe(true);
  // A folder without "type": "module" holds CommonJS.
  expect((await runParley(['send', `${line.url}/a2a/one`, 'x'])).stdout).toBe('hi\n');
  server.child.kill('SIGTERM');
  expect(await server.ended).toBe(0);
});

test('start --log pretty is for people; --database names the file; SIGINT exits with 0', async () => {
  const { folder, config } = create({ 'agent.ts': agent('hi'), 'langgraph.json': CONFIG });
  const database = join(folder, 'other', 'file.db');
  const server = spawnParley([
    'start',
    '--config',
    config,
    '--port',
    '0',
    '--log',
    'pretty',
    '--database',
    database,
  ]);
  await server.output(/try: parley send http:/);
  expect(server.stdout()).toMatch(
    /^Parley listens on http:\/\/127\.0\.0\.1:\d+\n {2}one {2}http:\/\/127\.0\.0\.1:\d+\/a2a\/one\n/,
  );
  expect(existsSync(database)).toBe(true);
  server.child.kill('SIGINT');
  expect(await server.ended).toBe(0);
});

test.each([
  ['no file', undefined, 'langgraph.json: cannot be read; name a langgraph.json with --config'],
  ['no JSON', '{', 'langgraph.json: is not JSON'],
  ['no graphs', { graphs: {} }, 'langgraph.json: graphs: expected at least one graph'],
  ['no module', { graphs: { one: './gone.ts:agent' } }, 'gone.ts does not exist'],
  ['no export', { graphs: { one: './agent.ts:nothing' } }, "has no export 'nothing'; its exports: agent"],
  ['no setting', { ...CONFIG, a2a: { colour: 1 } }, 'langgraph.json: a2a.colour: is not a setting of Parley'],
])('a configuration with %s gives one line and exits with 1', async (_, config, message) => {
  const { folder } = create({
    'agent.ts': agent('hi'),
    ...(config === undefined ? {} : { 'langgraph.json': config }),
  });
  for (const command of ['start', 'dev']) {
    const { code, stdout, stderr } = await runParley([command, '--port', '0'], { cwd: folder });
    expect(stderr).toMatch(/^error: /);
    expect(stderr).toContain(message);
    expect(stdout).toBe('');
    expect(code).toBe(1);
  }
});

test('an address beyond loopback is refused unless the caller says so', async () => {
  const { folder } = create({ 'agent.ts': agent('hi'), 'langgraph.json': CONFIG });
  const args = ['start', '--port', '0', '--host', '0.0.0.0'];
  const refused = await runParley(args, { cwd: folder });
  expect(refused).toMatchObject({ code: 1, stdout: '' });
  expect(refused.stderr).toContain('--allow-unauthenticated');
  expect((await runParley(['dev', '--host', '::'], { cwd: folder })).code).toBe(1);
  const server = spawnParley([...args, '--allow-unauthenticated'], { cwd: folder });
  await server.output(/"url":"http:\/\/localhost:\d+"/);
  server.child.kill('SIGTERM');
  expect(await server.ended).toBe(0);
});

test('a promise that an agent leaves rejected is logged and ends nothing; an exception is logged and ends it', async () => {
  const { folder } = create({
    'agent.ts': `export const agent = {
      invoke: ({ text }) => {
        if (text === 'reject') void Promise.reject(new Error('left behind'));
        if (text === 'throw') setTimeout(() => { throw new Error('thrown later'); });
        return 'said ' + text;
      },
    };`,
    'langgraph.json': CONFIG,
  });
  const server = spawnParley(['start', '--port', '0'], { cwd: folder });
  const [, url] = await server.output(/"url":"(http:\/\/127\.0\.0\.1:\d+)"/);
  expect((await runParley(['send', `${url}/a2a/one`, 'reject'])).stdout).toBe('said reject\n');
  await server.output(/"level":50.*left behind/);
  expect((await runParley(['send', `${url}/a2a/one`, 'again'])).stdout).toBe('said again\n');
  await runParley(['send', `${url}/a2a/one`, 'throw']);
  expect(await server.ended).not.toBe(0);
  expect(server.stdout()).toMatch(/"level":60.*thrown later/);
});

test('a port in use gives one line and exits with 1', async () => {
  const { folder } = create({ 'agent.ts': agent('hi'), 'langgraph.json': CONFIG });
  const taken = createServer();
  const port = await new Promise<number>((resolve) => {
    taken.listen(0, '127.0.0.1', () => resolve((taken.address() as { port: number }).port));
  });
  const { code, stderr } = await runParley(['start', '--port', String(port)], { cwd: folder });
  taken.close();
  expect(stderr).toBe(`error: port ${port} of 127.0.0.1 is in use; choose another with --port\n`);
  expect(code).toBe(1);
});

test('a stream that loses its server names the command that follows the task, which the next server finishes', async () => {
  const { folder } = create({
    'package.json': { type: 'module' },
    'agents.ts': AGENTS,
    'langgraph.json': AGENTS_CONFIG,
  });
  const start = ['start', '--port', '0', '--drain', '0'];
  const server = spawnParley(start, { cwd: folder });
  const [, base] = await server.output(/"url":"(http:[^"]+)"/);
  const send = spawnParley(['send', `${base}/a2a/gate`, 'go', '--stream']);
  await send.output(/first /);
  server.child.kill('SIGTERM');
  expect(await server.ended).toBe(0);
  expect(await send.ended).toBe(1);
  const [, task = ''] = await send.output(/follow it with: parley tasks watch \S+ (\S+)/);

  const next = spawnParley(start, { cwd: folder });
  const [, again] = await next.output(/"url":"(http:[^"]+)"/);
  await runParley(['send', `${again}/a2a/gate`, 'open']);
  const watch = await runParley(['tasks', 'watch', `${again}/a2a/gate`, task]);
  expect(watch).toMatchObject({ code: 0, stdout: 'first second\n' });
  next.child.kill('SIGTERM');
  expect(await next.ended).toBe(0);
});

test('dev restarts for what it has loaded, not for what agents and logs write', async () => {
  const { folder, write } = create({
    'agent.ts': `import { writeFileSync } from 'node:fs';
      import { words } from './words.ts';
      export const agent = { invoke: ({ text }: { text: string }) => {
        writeFileSync(text, String(Date.now()));
        return words;
      } };`,
    'words.ts': `export const words = 'before';`,
    'langgraph.json': CONFIG,
  });
  const dev = spawnParley(['dev', '--port', '0'], { cwd: folder });
  const [, url = ''] = await dev.output(/try: parley send (\S+)/);
  expect((await runParley(['send', url, join(folder, 'out.csv')])).stdout).toBe('before\n');
  write('dev.log', 'a line');
  write('words.ts', `export const words = 'after';`);
  await dev.output(/words\.ts has changed, restarting/);
  await dev.output(/try: parley send/, 2);
  expect((await runParley(['send', url, join(folder, 'out.csv')])).stdout).toBe('after\n');
  write('.env', 'WORD=1');
  const [before = ''] = await dev.output(/[\s\S]*\.env has changed, restarting/);
  expect(before.match(/\S+ has changed/g)).toEqual(['words.ts has changed', '.env has changed']);
  await dev.output(/try: parley send/, 3);
  dev.child.kill('SIGTERM');
  expect(await dev.ended).toBe(0);
});

test('dev restarts on change on the same port with the same tasks, and outlives a mistake', async () => {
  const { folder, write } = create({ 'agent.ts': agent('before'), 'langgraph.json': CONFIG });
  const dev = spawnParley(['dev', '--port', '0'], { cwd: folder });
  const [, url = ''] = await dev.output(/try: parley send (\S+)/);
  const send = async (): Promise<string> => (await runParley(['send', url, 'hi'])).stdout;
  expect(await send()).toBe('before\n');

  write('agent.ts', agent('after'));
  await dev.output(/agent\.ts has changed, restarting/);
  const [, again] = await dev.output(/try: parley send (\S+)/, 2);
  expect(again).toBe(url);
  expect(await send()).toBe('after\n');
  const { stdout } = await runParley(['tasks', 'list', url, '--json']);
  expect(JSON.parse(stdout).totalSize).toBe(2);

  write('agent.ts', 'export const agent = {');
  await dev.output(/the server has ended with code 1, waiting for a change/);
  write('agent.ts', agent('mended'));
  await dev.output(/try: parley send/, 3);
  expect(await send()).toBe('mended\n');

  dev.child.kill('SIGTERM');
  expect(await dev.ended).toBe(0);
});
