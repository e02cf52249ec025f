import type { AgentExtension, AgentSkill } from '@parley/protocol';
import { z } from 'zod';
import { byteSize, duration } from './quantities.ts';

/** What an agent's card says, from `a2a.assistants.<graph>` or an assistant's `metadata.a2a`. Absent: derived. */
export interface CardSettings {
  name?: string;
  description?: string;
  skills?: AgentSkill[];
  extensions?: AgentExtension[];
  provider?: { organization: string; url: string };
  documentation_url?: string;
  icon_url?: string;
  input_modes?: string[];
  output_modes?: string[];
  version?: string;
}

/** `a2a.assistants.<graph>`. */
export interface AssistantSettings extends CardSettings {
  /** Tokens are stored for every run, not only for those that somebody streams. */
  streamTokens: boolean;
  /** A stream may be one bare Message: its first event waits for the first output. */
  messageReplies: boolean;
  /** Its agent has a turn before a task of it is canceled (docs/turn.md). */
  cancelTurn: boolean;
  strictInputModes: boolean;
}

/** `a2a` of `langgraph.json` (docs/configuration.md). Durations in milliseconds, sizes in bytes. */
export interface Settings {
  publicUrl?: string;
  v03: 'core' | 'full';
  strictVersion: boolean;
  cardWithoutVersion: 'merged' | '1.0';
  maxHistoryLength: number;
  bodyLimit: number;
  maxParts: number;
  maxDepth: number;
  runDeadline: number;
  /** A task that has waited for its caller this long fails. */
  pausedTtl: number;
  /** The log of an ended task is kept this long, then its state alone. */
  eventTtl: number;
  /** An ended task is kept this long. */
  taskTtl: number;
  queuePerContext: number;
  /** Runs at a time in this process. */
  concurrency: number;
  trustProxy: boolean;
  assistants: { [graphId: string]: AssistantSettings };
}

/** `http.cors` of `langgraph.json` (LangGraph docs, "Configuration file"). Without it no other origin may call. */
export interface CorsSettings {
  allow_origins?: string[];
  allow_origin_regex?: string;
  allow_methods?: string[];
  allow_headers?: string[];
  allow_credentials?: boolean;
  expose_headers?: string[];
  max_age?: number;
}

/** `http` of `langgraph.json`, as far as it is ours. */
export interface HttpSettings {
  disable_a2a?: boolean;
  disable_assistants?: boolean;
  disable_threads?: boolean;
  /** Path under which an application mounts the server, such as `/agents`. */
  mount_prefix?: string;
  cors?: CorsSettings;
}

/** A type whose optional members may be there and `undefined`: what zod's `optional()` gives. */
type Loose<T> = T extends readonly (infer E)[]
  ? Loose<E>[]
  : T extends object
    ? string extends keyof T
      ? T
      : { [K in keyof T]: Loose<T[K]> | (object extends Pick<T, K> ? undefined : never) }
    : T;

/** The schema of an interface: the compiler compares the two, but for absent against `undefined`. */
function schemaOf<T>(schema: z.ZodType<Loose<T>>): z.ZodType<T> {
  return schema as unknown as z.ZodType<T>;
}

const count = z.int('expected a whole number').positive('expected a number above 0');
const modes = z.array(z.string().min(1)).min(1, 'expected at least one media type').optional();
const url = z.url('expected an absolute URL').optional();
const texts = z.array(z.string()).optional();

const skill = z.strictObject({
  id: z.string().min(1),
  name: z.string().min(1),
  description: z.string(),
  tags: z.array(z.string()).min(1),
  examples: z.array(z.string()).optional(),
  inputModes: modes,
  outputModes: modes,
});
const extension = z.strictObject({
  uri: z.string().min(1),
  description: z.string().optional(),
  required: z.boolean().optional(),
  params: z.record(z.string(), z.json()).optional(),
});

const cardShape = {
  name: z.string().min(1).optional(),
  description: z.string().optional(),
  skills: z.array(skill).min(1, 'expected at least one skill').optional(),
  extensions: z.array(extension).optional(),
  provider: z.strictObject({ organization: z.string(), url: z.string() }).optional(),
  documentation_url: url,
  icon_url: url,
  input_modes: modes,
  output_modes: modes,
  version: z.string().min(1).optional(),
};

/** `metadata.a2a` of an assistant; unknown keys are somebody else's. */
export const cardSettings: z.ZodType<CardSettings> = schemaOf<CardSettings>(z.object(cardShape));

/** The same as it is kept: what has a meaning is checked, and everything stays. */
export const assistantA2a: z.ZodType = z.looseObject({ ...cardShape, a2ui: z.boolean().optional() });

const assistantSettings: z.ZodType<AssistantSettings> = schemaOf<AssistantSettings>(
  z.strictObject({
    ...cardShape,
    streamTokens: z.boolean().default(false),
    messageReplies: z.boolean().default(false),
    cancelTurn: z.boolean().default(false),
    strictInputModes: z.boolean().default(false),
  }),
);

/** Of a graph that `a2a.assistants` does not name. */
export const DEFAULT_ASSISTANT_SETTINGS: AssistantSettings = assistantSettings.parse({});

const DAY_MS = 86_400_000;

/** A timer of JavaScript takes 2^31 - 1 ms, 24.8 days; one that is set to more ends at once. */
const timed = duration.refine((ms) => ms <= 24 * DAY_MS, 'expected a duration of at most "24d"');

export const settings: z.ZodType<Settings> = schemaOf<Settings>(
  z.strictObject({
    publicUrl: url,
    v03: z.enum(['core', 'full']).default('core'),
    strictVersion: z.boolean().default(false),
    cardWithoutVersion: z.enum(['merged', '1.0']).default('merged'),
    maxHistoryLength: count.default(10),
    bodyLimit: byteSize.default(10 * 1_048_576),
    maxParts: count.default(1_000),
    maxDepth: count.default(64),
    runDeadline: timed.default(3_600_000),
    pausedTtl: duration.default(7 * DAY_MS),
    eventTtl: duration.default(DAY_MS),
    taskTtl: duration.default(30 * DAY_MS),
    queuePerContext: count.default(64),
    concurrency: count.default(64),
    trustProxy: z.boolean().default(false),
    assistants: z.record(z.string(), assistantSettings).default({}),
  }),
);

const cors = z.looseObject({
  allow_origins: texts,
  allow_origin_regex: z.string().refine(isPattern, 'expected a regular expression').optional(),
  allow_methods: texts,
  allow_headers: texts,
  expose_headers: texts,
  allow_credentials: z.boolean().optional(),
  max_age: z.number().optional(),
});

/** What routes begin with: a path that begins so may be one of them or one behind the prefix. */
const OWN_ROUTES = ['a2a', 'assistants', 'threads', '.well-known', 'ok', 'info'];

const mountPrefix = z
  .string('expected a path such as "/agents"')
  .regex(/^(?:\/[\w.~%-]+)+$/, 'expected a path such as "/agents", without a slash at its end')
  .refine((path) => !OWN_ROUTES.includes(path.split('/')[1] ?? ''), {
    error: `expected a path that begins with none of ${OWN_ROUTES.map((one) => `/${one}`).join(', ')}`,
  });

/** Keys that are not ours are kept: LangGraph has more under `http`. */
export const httpSettings: z.ZodType<HttpSettings> = schemaOf<HttpSettings>(
  z.looseObject({
    disable_a2a: z.boolean().default(false),
    disable_assistants: z.boolean().default(false),
    disable_threads: z.boolean().default(false),
    mount_prefix: mountPrefix.optional(),
    cors: cors.optional(),
  }),
);

function isPattern(text: string): boolean {
  try {
    new RegExp(text);
    return true;
  } catch {
    return false;
  }
}
