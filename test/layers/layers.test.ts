import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const root = resolve(dirname(fileURLToPath(import.meta.url)), '../..');

function sources(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts') && !/(?:^|\/)test\//.test(file))
    .map((file) => join(folder, file));
}

function importsOf(file: string): string[] {
  const text = readFileSync(file, 'utf8');
  return [...text.matchAll(/(?:\bfrom|\bimport)\s*\(?\s*'([^']+)'/g)].map((match) => match[1] ?? '');
}

/** Rows of the table under a heading of ARCHITECTURE.md: name -> what it may import. */
function tableUnder(heading: string): Map<string, Set<string>> {
  const text = readFileSync(join(root, 'ARCHITECTURE.md'), 'utf8');
  const section = text.split(`## ${heading}\n`)[1]?.split('\n## ')[0] ?? '';
  const rows = [...section.matchAll(/^\| ([^|]+) \|([^|]*)\|$/gm)]
    .slice(1)
    .filter(([, name]) => !/^-+$/.test(name ?? ''));
  return new Map(
    rows.map(([, name = '', allowed = '']) => [
      name.trim(),
      new Set(
        allowed
          .split(',')
          .map((one) => one.trim())
          .filter((one) => one !== ''),
      ),
    ]),
  );
}

describe('the tables of ARCHITECTURE.md', () => {
  const packages = tableUnder('Packages');
  const layers = tableUnder('Layers of the server');

  it('name every package and every folder', () => {
    expect([...packages.keys()].sort()).toEqual(readdirSync(join(root, 'packages')).sort());
    const server = join(root, 'packages/server/src');
    const folders = readdirSync(server, { withFileTypes: true }).filter((entry) => entry.isDirectory());
    expect([...layers.keys()].sort()).toEqual([...folders.map(({ name }) => name), '(root)'].sort());
  });

  it.each([...packages])('package %s imports only what its row allows', (name, allowed) => {
    const wrong = sources(join(root, 'packages', name, 'src')).flatMap((file) =>
      importsOf(file)
        .flatMap((specifier) => /^@parley\/([a-z]+)/.exec(specifier)?.[1] ?? [])
        .filter((target) => !allowed.has(target))
        .map((target) => `${relative(root, file)} -> ${target}`),
    );
    expect(wrong).toEqual([]);
  });

  it.each([...layers])('folder %s imports only what its row allows', (name, allowed) => {
    const server = join(root, 'packages/server/src');
    const layerOf = (file: string): string => {
      const [folder = '', ...rest] = relative(server, file).split('/');
      return rest.length === 0 ? '(root)' : folder;
    };
    const files = sources(server).filter((file) => layerOf(file) === name);
    expect(files.length).toBeGreaterThan(0);
    const wrong = files.flatMap((file) =>
      importsOf(file)
        .filter((specifier) => specifier.startsWith('.'))
        .map((specifier) => layerOf(resolve(dirname(file), specifier)))
        .filter((target) => target !== name && !allowed.has(target))
        .map((target) => `${relative(root, file)} -> ${target}`),
    );
    expect(wrong).toEqual([]);
  });

  it('store imports the ports of assistants and threads, and no more of them', () => {
    const wrong = sources(join(root, 'packages/server/src/store')).flatMap((file) =>
      importsOf(file)
        .filter((specifier) => /\/(?:assistants|threads)\/(?!ports\.ts)/.test(specifier))
        .map((specifier) => `${relative(root, file)} -> ${specifier}`),
    );
    expect(wrong).toEqual([]);
  });

  it.each(['protocol', 'agent'])('package %s uses nothing of Node', (name) => {
    const wrong = sources(join(root, 'packages', name, 'src')).filter((file) =>
      importsOf(file).some((specifier) => specifier.startsWith('node:')),
    );
    expect(wrong).toEqual([]);
  });
});
