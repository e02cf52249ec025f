import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, it } from 'vitest';

const root = resolve(dirname(fileURLToPath(import.meta.url)), '../..');
/** Below the server, so that other packages are found where npm put them for it; ours come from the tarballs. */
const project = join(root, 'packages/server/node_modules/.cache/parley-packed');

function run(command: string, args: string[], cwd: string): string {
  const { status, stdout, stderr } = spawnSync(command, args, { cwd, encoding: 'utf8' });
  if (status !== 0) throw new Error(`${command} ${args.join(' ')}: ${stdout}${stderr}`);
  return stdout;
}

beforeAll(() => {
  rmSync(project, { recursive: true, force: true });
  run('npx', ['tsc', '-b'], root);
  for (const name of ['protocol', 'agent', 'server']) {
    const target = join(project, 'node_modules/@parley', name);
    mkdirSync(target, { recursive: true });
    const [packed] = JSON.parse(
      run(
        'npm',
        ['pack', '--json', '--ignore-scripts', '--pack-destination', project],
        join(root, 'packages', name),
      ),
    ) as { filename: string }[];
    run(
      'tar',
      ['-xzf', join(project, packed?.filename ?? ''), '-C', target, '--strip-components=1'],
      project,
    );
  }
  writeFileSync(join(project, 'package.json'), '{"type":"module"}');
}, 60_000);
afterAll(() => rmSync(project, { recursive: true, force: true }));

it('the packed packages answer a message', () => {
  writeFileSync(
    join(project, 'main.js'),
    `import { createParley } from '@parley/server';
     import { a2aTurn } from '@parley/agent';
     const parley = await createParley({ graphs: { hi: { invoke: ({ text }) => 'packed ' + text + typeof a2aTurn } } });
     const { url } = await parley.listen({ port: 0, host: '127.0.0.1' });
     const body = { jsonrpc: '2.0', id: 1, method: 'SendMessage', params: { message: { messageId: 'm', role: 'ROLE_USER', parts: [{ text: 'hello' }] } } };
     const answer = await fetch(url + '/a2a/hi', { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) });
     console.log((await answer.json()).result.task.artifacts[0].parts[0].text);
     await parley.close();`,
  );
  expect(run('node', ['main.js'], project)).toBe('packed hellofunction\n');
});

it('the packed command runs', () => {
  const { version } = JSON.parse(readFileSync(join(root, 'packages/server/package.json'), 'utf8')) as {
    version: string;
  };
  expect(run('node', ['node_modules/@parley/server/bin/parley.js', '--version'], project)).toBe(
    `${version}\n`,
  );
});

it('the packed types compile in a strict project', () => {
  writeFileSync(
    join(project, 'types.ts'),
    `import { a2aTurn, type Turn } from '@parley/agent';
     import { applyEvent, type Task } from '@parley/protocol';
     import { codec } from '@parley/protocol/v1_0';
     import { type CorsSettings, createParley, type CustomAgent, type HttpSettings, type Parley, type ParleyOptions } from '@parley/server';
     const cors: CorsSettings = { allow_origins: ['*'] };
     const http: HttpSettings = { cors };
     const custom: CustomAgent = { invoke: ({ text }) => text };
     export const options: ParleyOptions = { graphs: { custom }, http };
     export const turn: Turn | undefined = a2aTurn();
     export const version: '1.0' | '0.3' = codec().version;
     export const fold: (task: Task | undefined, event: never) => Task = applyEvent;
     export const parley: Promise<Parley> = createParley({ graphs: {} });`,
  );
  const flags = [
    '--ignoreConfig',
    '--noEmit',
    '--strict',
    '--module',
    'nodenext',
    '--target',
    'es2023',
    '--skipLibCheck',
    '--types',
    'node',
  ];
  expect(run('npx', ['tsc', ...flags, 'types.ts'], project)).toBe('');
});
