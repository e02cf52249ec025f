import { readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { parseEnv } from 'node:util';
import { z } from 'zod';
import { ConfigError } from './config-error.ts';
import { type Settings, settings } from './settings.ts';

export interface GraphEntry {
  /** Absolute path of the module. */
  file: string;
  exportName: string;
  description?: string;
}

/** A `langgraph.json`, checked. Keys that are not ours are kept as they are. */
export interface Config {
  file: string;
  graphs: { [graphId: string]: GraphEntry };
  env: { [name: string]: string };
  http: { disable_a2a: boolean; [key: string]: unknown };
  a2a: Settings;
}

const graphEntry = z.union(
  [z.string(), z.looseObject({ path: z.string(), description: z.string().optional() })],
  { error: 'expected "./file.ts:export" or {"path": "./file.ts:export", "description": "…"}' },
);

const texts = z.array(z.string()).optional();

const cors = z.looseObject({
  allow_origins: texts,
  allow_origin_regex: z.string().refine(isPattern, 'expected a regular expression').optional(),
  allow_methods: texts,
  allow_headers: texts,
  expose_headers: texts,
  allow_credentials: z.boolean().optional(),
  max_age: z.number().optional(),
});

const configFile = z.looseObject({
  graphs: z
    .record(z.string(), graphEntry, { error: 'expected an object of graph ids and their modules' })
    .refine((graphs) => Object.keys(graphs).length > 0, 'expected at least one graph'),
  env: z
    .union([z.string(), z.record(z.string(), z.union([z.string(), z.number(), z.boolean()]))], {
      error: 'expected the path of a .env file or an object of variables',
    })
    .optional(),
  http: z.looseObject({ disable_a2a: z.boolean().default(false), cors: cors.optional() }).prefault({}),
  a2a: settings,
});

/** Reads and checks a `langgraph.json`. Throws `ConfigError`. */
export function loadConfig(path: string): Config {
  const file = resolve(path);
  const parsed = configFile.safeParse(withDefaults(readJson(file)));
  if (!parsed.success) throw configErrorOf(file, parsed.error);
  const { graphs, env, http, a2a } = parsed.data;
  if (parsed.data.auth !== undefined) {
    throw new ConfigError(
      file,
      'auth',
      'authentication is not supported yet, and an open server is not what this key asks for',
    );
  }
  for (const graphId of Object.keys(a2a.assistants)) {
    if (!Object.hasOwn(graphs, graphId)) {
      throw new ConfigError(
        file,
        `a2a.assistants.${graphId}`,
        `there is no graph '${graphId}'; graphs: ${Object.keys(graphs).join(', ')}`,
      );
    }
  }
  return {
    file,
    graphs: Object.fromEntries(Object.entries(graphs).map(([id, entry]) => [id, entryOf(file, id, entry)])),
    env: readEnv(file, env),
    http,
    a2a,
  };
}

function isPattern(text: string): boolean {
  try {
    new RegExp(text);
    return true;
  } catch {
    return false;
  }
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

function withDefaults(json: unknown): unknown {
  if (typeof json !== 'object' || json === null || Array.isArray(json)) return json;
  return { a2a: {}, ...json };
}

function configErrorOf(file: string, error: z.ZodError): ConfigError {
  const issue = error.issues[0];
  const path = issue?.path.map(String).join('.') ?? '';
  if (issue?.code === 'unrecognized_keys') {
    const key = [path, issue.keys[0]].filter((part) => part !== '').join('.');
    return new ConfigError(file, key, 'is not a setting of Parley', error);
  }
  return new ConfigError(file, path, issue?.message ?? 'is not valid', error);
}

function entryOf(
  file: string,
  graphId: string,
  entry: string | { path: string; description?: string | undefined },
): GraphEntry {
  const { path, description } = typeof entry === 'string' ? { path: entry } : entry;
  const match = /^(.+):([A-Za-z_$][\w$]*)$/.exec(path);
  if (!match) throw new ConfigError(file, `graphs.${graphId}`, `expected "./file.ts:export", got "${path}"`);
  return {
    file: resolve(dirname(file), match[1] ?? ''),
    exportName: match[2] ?? '',
    ...(description === undefined ? {} : { description }),
  };
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
