import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, rmSync, symlinkSync, truncateSync, utimesSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join, resolve } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { openDatabase } from '../../packages/server/src/store/sqlite/database.ts';
import { runParley, spawnParley } from '../../packages/server/test/parley-process.ts';
import { damagePages } from './damage.ts';
import { sendText } from './send-text.ts';
import { withSmallDisk } from './small-disk.ts';
import { useProject } from './use-project.ts';

interface Finding {
  check: string;
  level: string;
  message: string;
  remedy?: string;
}

const AGENT = `export const agent = { invoke: () => 'hi' };\n`;
const CONFIG = { graphs: { one: './agent.ts:agent' } };

vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });
const project = useProject({ 'agent.ts': AGENT, 'langgraph.json': CONFIG });
const { at } = project;

async function doctor(...args: string[]): Promise<{ code: number | null; findings: Finding[] }> {
  const { code, stdout, stderr } = await runParley(['doctor', '--json', ...args], { cwd: project.folder });
  expect(stderr).toBe('');
  const { ok, findings } = JSON.parse(stdout) as { ok: boolean; findings: Finding[] };
  expect(ok).toBe(findings.every(({ level }) => level !== 'problem'));
  for (const { level, remedy } of findings) expect(remedy === undefined).toBe(level === 'ok');
  return { code, findings };
}

/** The one finding that is not as it should be. */
async function only(...args: string[]): Promise<Finding & { code: number | null }> {
  const { code, findings } = await doctor(...args);
  const found = findings.filter(({ level }) => level !== 'ok');
  expect(found).toHaveLength(1);
  return { code, ...(found[0] as Finding) };
}

const text = (part: string) => expect.stringContaining(part);

describe('parley doctor finds nothing wrong', () => {
  it('with a project that was never started, and writes nothing', async () => {
    const { code, stdout, stderr } = await runParley(['doctor'], { cwd: project.folder });
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toContain(`ok       config: ${at('langgraph.json')}: 1 graph\n`);
    expect(stdout).toContain('ok       graphs: graph one takes messages\n');
    expect(stdout).toContain(`ok       database: ${at('.parley/parley.db')} is not there and will be made\n`);
    expect(stdout).toContain(`Node ${process.versions.node}, better-sqlite3 `);
    expect(stdout).toMatch(/0 problems, 0 warnings\n$/);
    expect(() => rmSync(at('.parley'))).toThrow('ENOENT');
  });

  it('with a server that runs: its database is checked and its card fetched', async () => {
    const server = spawnParley(['start', '--port', '0'], { cwd: project.folder });
    const [, base = '', port = ''] = await server.output(/"url":"(http:\/\/127\.0\.0\.1:(\d+))"/);
    expect((await sendText(`${base}/a2a/one`, 'x')).task).toBeDefined();
    const { code, findings } = await doctor('--port', port);
    expect(code).toBe(0);
    const messages = findings.map(({ message }) => message);
    expect(messages).toContainEqual(
      expect.stringMatching(/parley\.db: \d+ bytes, in use by a server, every page is sound/),
    );
    expect(messages).toContainEqual(text('the last write was at'));
    expect(messages).toContainEqual(text(`the card at ${base}/a2a/one names ${base}/a2a/one`));
    // It is where the database is used, and not where it is said to be.
    const elsewhere = await only('--port', '1');
    expect(elsewhere).toMatchObject({ code: 1, check: 'card', level: 'problem', remedy: text('--port') });
    expect(elsewhere.message).toContain('127.0.0.1:1');
  });
});

describe('parley doctor finds in the configuration', () => {
  it('that it is not there, is no JSON, or has a wrong key', async () => {
    project.write('langgraph.json', '{');
    expect(await only()).toMatchObject({
      code: 2,
      check: 'config',
      message: text('is not JSON'),
      remedy: text('JSON'),
    });
    project.write('langgraph.json', { ...CONFIG, a2a: { colour: 1 } });
    expect(await only()).toMatchObject({
      code: 1,
      message: text('a2a.colour'),
      remedy: text('mend the key a2a.colour'),
    });
    const gone = await only('--config', at('gone.json'));
    expect(gone).toMatchObject({ code: 2, message: text(at('gone.json')), remedy: text('--config') });
  });

  it('graphs that do not load, end the process, take no messages, or never finish', async () => {
    project.write('hangs.ts', 'for (;;);\nexport const agent = 1;\n');
    project.write(
      'waits.ts',
      'await new Promise((done) => setTimeout(done, 1e9));\nexport const agent = 1;\n',
    );
    project.write('ends.ts', `console.error('I end'); process.exit(7);\nexport const agent = 1;\n`);
    project.write('throws.ts', `throw new Error('no key is set');\n`);
    project.write(
      'deaf.ts',
      `import { Annotation, START, StateGraph } from '@langchain/langgraph';
       export const agent = new StateGraph(Annotation.Root({ topic: Annotation() })).addNode('a', () => ({})).addEdge(START, 'a').compile();`,
    );
    const names = ['hangs', 'waits', 'ends', 'throws', 'deaf'];
    const graphs = Object.fromEntries(names.map((name) => [name, `./${name}.ts:agent`]));
    project.write('langgraph.json', { graphs: { one: './agent.ts:agent', ...graphs } });
    const { code, findings } = await doctor('--timeout', '4');
    expect(code).toBe(1);
    expect(findings.filter(({ check }) => check === 'graphs')).toEqual(
      [
        { check: 'graphs', level: 'ok', message: 'graph one takes messages' },
        ...names.map((name) => ({
          check: 'graphs',
          level: 'problem',
          message: text(`graph ${name}`),
          remedy: text(''),
        })),
      ].map((finding, n) => ({
        ...finding,
        ...[
          {},
          { message: text('has not loaded within 4 seconds'), remedy: text(at('hangs.ts')) },
          { message: text('has not loaded within 4 seconds'), remedy: text(at('waits.ts')) },
          { message: text('(code 7): I end'), remedy: text(at('ends.ts')) },
          { message: text('no key is set'), remedy: text(at('throws.ts')) },
          {
            message: text("no 'messages' key in its input and cannot take A2A messages; its keys: topic"),
            remedy: text('messages'),
          },
        ][n],
      })),
    );
  });
});

describe('parley doctor finds in the versions', () => {
  it('that the model of the store is not there, or makes vectors of another length', async () => {
    project.write('embed.ts', 'export const embed = (texts: string[]) => texts.map(() => [1, 0]);');
    const configure = (embed: string, dims: number) =>
      project.write('langgraph.json', JSON.stringify({ ...CONFIG, store: { index: { embed, dims } } }));
    configure('./embed.ts:nope', 2);
    expect(await only()).toMatchObject({
      code: 1,
      check: 'store',
      message: expect.stringMatching(/no export 'nope'/),
    });
    configure('./embed.ts:embed', 8);
    expect(await only()).toMatchObject({
      code: 1,
      check: 'store',
      message: expect.stringMatching(/store\.index\.embed \(embed\): store\.index\.dims is 8.*vectors of 2/),
    });
    configure('./embed.ts:embed', 2);
    expect((await doctor()).findings).toContainEqual({
      check: 'store',
      level: 'ok',
      message: 'store.index.embed (embed) makes vectors of 2',
    });
  });

  it('a second copy of LangGraph, and one that is too old', async () => {
    const real = resolve(import.meta.dirname, '../../node_modules');
    rmSync(at('node_modules'));
    mkdirSync(at('node_modules/@langchain'), { recursive: true });
    symlinkSync(join(real, '@langchain/core'), at('node_modules/@langchain/core'), 'junction');
    cpSync(
      join(real, '@langchain/langgraph/package.json'),
      at('node_modules/@langchain/langgraph/package.json'),
    );
    const second = await only();
    expect(second).toMatchObject({
      code: 0,
      check: 'versions',
      level: 'warning',
      remedy: text('npm dedupe'),
    });
    expect(second.message).toContain('2 copies of @langchain/langgraph');
    expect(second.message).toContain(at('node_modules/@langchain/langgraph'));
    writeFileSync(at('node_modules/@langchain/langgraph/package.json'), '{"version":"0.2.74"}');
    expect(await only()).toMatchObject({
      code: 1,
      message: text('@langchain/langgraph 0.2.74'),
      remedy: 'npm install @langchain/langgraph@^1.7.0',
    });
  });

  it('a Node that is too old, before anything is loaded', () => {
    project.write(
      'old.cjs',
      `Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '18.20.4' } });`,
    );
    const bin = resolve(import.meta.dirname, '../../packages/server/bin/parley.js');
    const run = () =>
      execFileSync(process.execPath, ['--require', at('old.cjs'), bin, 'doctor'], {
        stdio: 'pipe',
        encoding: 'utf8',
      });
    expect(run).toThrow(
      /Command failed(?:.|\n)*error: Parley needs Node 20\.12 or later, this is v[\d.]+ \(.*\): install a newer one/,
    );
  });
});

describe('parley doctor finds of the database', () => {
  const database = () => {
    const opened = openDatabase(at('p.db'));
    opened.sqlite.exec('CREATE TABLE filler (x)');
    opened.write(() => opened.sqlite.exec('INSERT INTO filler VALUES (randomblob(500000))'));
    return opened;
  };
  const found = () => only('--database', at('p.db'));

  it('that it is cut short, or damaged in the middle', async () => {
    database().close();
    damagePages(at('p.db'), { every: 1, from: 3 });
    const damaged = await found();
    expect(damaged).toMatchObject({
      code: 1,
      check: 'database',
      message: text(at('p.db')),
      remedy: text('restore a backup'),
    });
    expect(damaged.message).toContain('damaged');
    truncateSync(at('p.db'), 20_000);
    expect(await found()).toMatchObject({
      code: 1,
      message: text('damaged'),
      remedy: text('restore a backup'),
    });
  });

  it('that it is newer, another one, no database, or a folder', async () => {
    const opened = database();
    opened.sqlite.pragma('user_version = 99');
    opened.close();
    expect(await found()).toMatchObject({
      code: 1,
      message: text(`${at('p.db')} has schema 99`),
      remedy: text('upgrade Parley'),
    });
    writeFileSync(at('p.db'), 'this is a text file. '.repeat(100));
    expect(await found()).toMatchObject({
      code: 1,
      message: text('is not a SQLite database'),
      remedy: text('--database'),
    });
    rmSync(at('p.db'));
    mkdirSync(at('p.db'));
    expect(await found()).toMatchObject({
      code: 1,
      message: text(`${at('p.db')} is no file`),
      remedy: text('--database'),
    });
    expect(await only('--database', ':memory:')).toMatchObject({
      code: 0,
      level: 'warning',
      message: text('nothing is kept'),
    });
  });

  it('that it is from the future', async () => {
    database().close();
    const future = Date.now() / 1_000 + 7_200;
    utimesSync(at('p.db'), future, future);
    const { message, ...rest } = await found();
    expect(rest).toMatchObject({ code: 0, check: 'clock', level: 'warning', remedy: text('set the clock') });
    expect(message).toMatch(/p\.db was at .* (?:7200|71\d\d) seconds from now/);
  });

  it.skipIf(process.platform === 'win32')('that its disk is small, and read-only', async (context) => {
    await withSmallDisk(context, at('disk'), async () => {
      openDatabase(at('disk/p.db')).close();
      const small = await only('--database', at('disk/p.db'));
      expect(small).toMatchObject({
        code: 0,
        level: 'warning',
        message: text(`${at('disk')} has `),
        remedy: text('make room'),
      });
      execFileSync('mount', ['-o', 'remount,ro', at('disk')]);
      for (const name of ['p.db', 'new.db', 'folder/new.db']) {
        expect(await only('--database', at(`disk/${name}`))).toMatchObject({
          code: 1,
          check: 'database',
          message: text(`${at('disk')} cannot be written to`),
          remedy: text('the right to write'),
        });
      }
    });
  });
});

describe('parley doctor finds of the card', () => {
  it('a public URL that nobody can call, that leads nowhere, or to another server', async () => {
    const configure = (publicUrl: string) =>
      project.write('langgraph.json', { ...CONFIG, a2a: { publicUrl } });
    const other = createServer((_, response) => {
      response.setHeader('content-type', 'application/json');
      response.end(JSON.stringify({ supportedInterfaces: [{ url: 'http://inside:2024/a2a/one' }] }));
    });
    await new Promise<void>((listening) => other.listen(0, '127.0.0.1', listening));
    const url = `http://127.0.0.1:${(other.address() as AddressInfo).port}`;
    configure(url);
    expect(await only()).toMatchObject({
      code: 0,
      level: 'warning',
      message: text('http://inside:2024'),
      remedy: text('a2a.publicUrl'),
    });
    const beyond = await doctor('--host', '0.0.0.0');
    expect(beyond.findings).toContainEqual(
      expect.objectContaining({
        check: 'card',
        level: 'warning',
        message: text('listens on 0.0.0.0'),
        remedy: text('clients use'),
      }),
    );
    await new Promise((closed) => other.close(closed));
    expect(await only()).toMatchObject({
      code: 0,
      check: 'card',
      message: text(`cannot reach ${url}`),
      remedy: text('a2a.publicUrl'),
    });
    configure('http://0.0.0.0:2024');
    const nobody = await doctor();
    expect(nobody.code).toBe(1);
    expect(nobody.findings).toContainEqual(
      expect.objectContaining({
        level: 'problem',
        message: text('http://0.0.0.0:2024 is an address that nobody can call'),
      }),
    );
  });
});
