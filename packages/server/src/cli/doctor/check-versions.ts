import { existsSync, readFileSync, realpathSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Config } from '../../config/load-config.ts';
import { type Finding, findingsOf } from './finding.ts';

const { ok, warning, problem } = findingsOf('versions');

interface Copy {
  folder: string;
  version: string;
}

/** Packages that a graph and the server must have in common: name -> least version of the server. */
const SHARED: { [name: string]: readonly [major: number, minor: number] } = {
  '@langchain/langgraph': [1, 7],
  '@langchain/core': [1, 4],
};

/** Node, and the packages as they are found from the server, from the configuration and from every graph. */
export function checkVersions(config: Config | undefined): Finding[] {
  const server = dirname(fileURLToPath(import.meta.url));
  const project = config
    ? [dirname(config.file), ...Object.values(config.graphs).map(({ file }) => dirname(file))]
    : [];
  const sqlite = packageFrom(server, 'better-sqlite3');
  return [
    ok(`Node ${process.versions.node}${sqlite ? `, better-sqlite3 ${sqlite.version}` : ''}`),
    ...Object.entries(SHARED).map(([name, least]) => checkShared(name, least, server, project)),
  ];
}

function checkShared(
  name: string,
  least: readonly [number, number],
  server: string,
  project: readonly string[],
): Finding {
  // LangGraph brings a @langchain/core of its own if npm could not agree on one.
  const users = [server, ...project].flatMap(
    (from) => packageFrom(from, '@langchain/langgraph')?.folder ?? [],
  );
  const found = [server, ...project, ...users].flatMap((from) => packageFrom(from, name) ?? []);
  const copies = [...new Map(found.map((copy) => [copy.folder, copy])).values()];
  const [first] = copies;
  const range = `^${least.join('.')}.0`;
  if (!first) return problem(`${name} is not installed`, `npm install ${name}@${range}`);
  const wrong = copies.find(({ version }) => !isAtLeast(version, least));
  if (wrong) {
    return problem(
      `${name} ${wrong.version} in ${wrong.folder} is not what Parley works with (${range})`,
      `npm install ${name}@${range}`,
    );
  }
  if (copies.length > 1) {
    const where = copies.map(({ folder, version }) => `${version} in ${folder}`).join(', ');
    return warning(
      `there are ${copies.length} copies of ${name}: ${where}`,
      `npm dedupe; npm ls ${name} shows who asks for which. Interrupts and messages of one copy are strangers to the other`,
    );
  }
  return ok(`${name} ${first.version}`);
}

/** As Node looks for it from a folder. */
function packageFrom(folder: string, name: string): Copy | undefined {
  if (!existsSync(folder)) return undefined;
  for (let at = realpathSync(folder); ; at = dirname(at)) {
    const manifest = join(at, 'node_modules', name, 'package.json');
    if (existsSync(manifest)) {
      const { version } = JSON.parse(readFileSync(manifest, 'utf8')) as { version: string };
      return { folder: dirname(realpathSync(manifest)), version };
    }
    if (dirname(at) === at) return undefined;
  }
}

function isAtLeast(version: string, [major, minor]: readonly [number, number]): boolean {
  const [foundMajor = 0, foundMinor = 0] = version.split('.').map(Number);
  return foundMajor === major && foundMinor >= minor;
}
