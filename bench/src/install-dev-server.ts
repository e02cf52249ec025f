import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const folder = new URL('../dev-server/', import.meta.url);

/** Installs the dev server into its own folder unless it is there. Throws if that fails. */
export async function installDevServer(progress: (line: string) => void): Promise<void> {
  if (existsSync(new URL('node_modules/@langchain/langgraph-api/package.json', folder))) return;
  progress('installing the LangGraph.js dev server into bench/dev-server');
  const args = ['install', '--no-package-lock', '--ignore-scripts', '--no-audit', '--no-fund'];
  await promisify(execFile)('npm', args, { cwd: fileURLToPath(folder) });
}
