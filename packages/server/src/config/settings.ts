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
  messageReplies: boolean;
  /** Tokens are stored for every run, not only for those that somebody streams. */
  streamTokens: boolean;
  strictInputModes: boolean;
  cancelTurn: boolean;
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
  pausedTtl: number;
  eventTtl: number;
  taskTtl: number;
  queuePerContext: number;
  /** Runs at a time in this process. */
  concurrency: number;
  trustProxy: boolean;
  assistants: { [graphId: string]: AssistantSettings };
}

const count = (fallback: number): z.ZodType<number> =>
  z
    .int('expected a whole number')
    .positive('expected a number above 0')
    .default(fallback) as z.ZodType<number>;
const modes = z.array(z.string().min(1)).min(1, 'expected at least one media type').optional();
const url = z.url('expected an absolute URL').optional();

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
export const cardSettings: z.ZodType<CardSettings> = z.object(cardShape) as z.ZodType<CardSettings>;

const assistantSettings = z.strictObject({
  ...cardShape,
  messageReplies: z.boolean().default(false),
  streamTokens: z.boolean().default(false),
  strictInputModes: z.boolean().default(false),
  cancelTurn: z.boolean().default(false),
});

export const settings: z.ZodType<Settings> = z.strictObject({
  publicUrl: url,
  v03: z.enum(['core', 'full']).default('core'),
  strictVersion: z.boolean().default(false),
  cardWithoutVersion: z.enum(['merged', '1.0']).default('merged'),
  maxHistoryLength: count(10),
  bodyLimit: byteSize.default(10 * 1_048_576),
  maxParts: count(1_000),
  maxDepth: count(64),
  runDeadline: duration.default(3_600_000),
  pausedTtl: duration.default(7 * 86_400_000),
  eventTtl: duration.default(86_400_000),
  taskTtl: duration.default(30 * 86_400_000),
  queuePerContext: count(64),
  concurrency: count(64),
  trustProxy: z.boolean().default(false),
  assistants: z.record(z.string(), assistantSettings).default({}),
}) as unknown as z.ZodType<Settings>;
