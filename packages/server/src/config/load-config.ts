import { readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { parseEnv } from 'node:util';
import { z } from 'zod';
import { ConfigError } from './config-error.ts';
import { parseAs, type Refuse, readHttp, readSettings } from './read-settings.ts';
import type { HttpSettings, Settings } from './settings.ts';
import { readStore, type StoreSettings } from './store-settings.ts';

export interface ModuleExport {
  /** Absolute path of the module. */
  file: string;
  exportName: string;
}

export interface GraphEntry extends ModuleExport {
  description?: string;
}

/** A `langgraph.json`, checked. Keys that are not ours are kept as they are. */
export interface Config {
  file: string;
  graphs: { [graphId: string]: GraphEntry };
  env: { [name: string]: string };
  http: HttpSettings;
  a2a: Settings;
  store: StoreSettings<ModuleExport>;
}

const graphEntry = z.union(
  [z.string(), z.looseObject({ path: z.string(), description: z.string().optional() })],
  { error: 'expected "./file.ts:export" or {"path": "./file.ts:export", "description": "…"}' },
);

const configFile = z.looseObject({
  graphs: z
    .record(z.string(), graphEntry, { error: 'expected an object of graph ids and their modules' })
    .refine((graphs) => Object.keys(graphs).length > 0, 'expected at least one graph')
    .refine((graphs) => !Object.hasOwn(graphs, ''), 'expected an id for every graph'),
  env: z
    .union([z.string(), z.record(z.string(), z.union([z.string(), z.number(), z.boolean()]))], {
      error: 'expected the path of a .env file or an object of variables',
    })
    .optional(),
});

/** Reads and checks a `langgraph.json`. Throws `ConfigError`. */
export function loadConfig(path: string): Config {
  const file = resolve(path);
  const refuse: Refuse = (key, problem, cause) => new ConfigError(file, key, problem, cause);
  const { graphs, env, http, a2a, auth, store } = parseAs('', configFile, readJson(file), refuse);
  if (auth !== undefined) {
    throw refuse(
      'auth',
      'authentication is not supported yet, and an open server is not what this key asks for',
    );
  }
  return {
    file,
    graphs: Object.fromEntries(Object.entries(graphs).map(([id, entry]) => [id, entryOf(file, id, entry)])),
    env: readEnv(file, env),
    http: readHttp(http, refuse),
    a2a: readSettings(a2a, Object.keys(graphs), refuse),
    store: storeOf(file, readStore(store, refuse)),
  };
}

function readJson(file: string): unknown {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (cause) {
    throw new ConfigError(file, '', 'cannot be read; name a langgraph.json with --config', cause);
  }
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new ConfigError(file, '', `is not JSON: ${(cause as Error).message}`, cause);
  }
}

function entryOf(
  file: string,
  graphId: string,
  entry: string | { path: string; description?: string | undefined },
): GraphEntry {
  const { path, description } = typeof entry === 'string' ? { path: entry } : entry;
  const named = exportOf(file, `graphs.${graphId}`, path);
  return { ...named, ...(description === undefined ? {} : { description }) };
}

function storeOf(file: string, { index, ...settings }: StoreSettings<string>): StoreSettings<ModuleExport> {
  if (!index) return settings;
  return { ...settings, index: { ...index, embed: exportOf(file, 'store.index.embed', index.embed) } };
}

function exportOf(file: string, key: string, path: string): ModuleExport {
  const match = /^(.+):([A-Za-z_$][\w$]*)$/.exec(path);
  if (!match) throw new ConfigError(file, key, `expected "./file.ts:export", got "${path}"`);
  return { file: resolve(dirname(file), match[1] ?? ''), exportName: match[2] ?? '' };
}

function readEnv(file: string, env: z.infer<typeof configFile>['env']): { [name: string]: string } {
  if (env === undefined) return {};
  if (typeof env !== 'string')
    return Object.fromEntries(Object.entries(env).map(([name, value]) => [name, String(value)]));
  try {
    return parseEnv(readFileSync(resolve(dirname(file), env), 'utf8')) as { [name: string]: string };
  } catch (cause) {
    throw new ConfigError(file, 'env', `${env} cannot be read`, cause);
  }
}
