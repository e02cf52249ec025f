import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { isAbsolute, sep } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { register as registerCommonJs } from 'tsx/cjs/api';
import { register } from 'tsx/esm/api';
import { ConfigError } from '../config/config-error.ts';
import type { ModuleExport } from '../config/load-config.ts';

/** What a key of a `langgraph.json` names, of a module in TypeScript or JavaScript. Throws `ConfigError`. */
export async function loadExport(configFile: string, key: string, entry: ModuleExport): Promise<unknown> {
  loadTypeScript();
  const { file, exportName } = entry;
  if (!existsSync(file)) throw new ConfigError(configFile, key, `${file} does not exist`);
  const module = await importModule(configFile, key, file);
  if (Object.hasOwn(module, exportName)) {
    try {
      // A promise would be awaited by our caller, who does not know its name.
      return await module[exportName];
    } catch (cause) {
      const why = `'${exportName}' could not be made: ${messageOf(cause)}`;
      throw new ConfigError(configFile, key, why, cause);
    }
  }
  const names = Object.keys(module).join(', ') || 'none';
  throw new ConfigError(configFile, key, `${file} has no export '${exportName}'; its exports: ${names}`);
}

let heard: (file: string) => void = () => {};

/** Tells the path of every module outside `node_modules` that is loaded from now on, those that graphs load later too. */
export function hearModules(listener: (file: string) => void): void {
  heard = listener;
}

let loading = false;

/** For good: a graph may import more when it runs. A folder without `"type": "module"` holds CommonJS. */
function loadTypeScript(): void {
  if (loading) return;
  loading = true;
  register({ onImport: (url) => hear(url.startsWith('file:') ? fileURLToPath(url) : '') });
  registerCommonJs();
}

function hear(file: string): void {
  if (isAbsolute(file) && !file.split(sep).includes('node_modules')) heard(file);
}

const require = createRequire(import.meta.url);

async function importModule(
  configFile: string,
  key: string,
  file: string,
): Promise<{ [name: string]: unknown }> {
  try {
    const module = (await import(pathToFileURL(file).href)) as { [name: string]: unknown };
    // What a CommonJS project exports arrives under `default`.
    for (const required of Object.keys(require.cache)) hear(required);
    const { default: common } = module;
    return isPlain(common) ? { ...common, ...module } : module;
  } catch (cause) {
    throw new ConfigError(configFile, key, `${file} cannot be loaded: ${messageOf(cause)}`, cause);
  }
}

/** An object of exports, not a graph that is the default export. */
function isPlain(value: unknown): value is object {
  return typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype;
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
