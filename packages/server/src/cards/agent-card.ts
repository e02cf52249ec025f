import type { AgentCard, AgentExtension, AgentSkill } from '@parley/protocol';
import type { CardSettings } from '../config/settings.ts';
import type { Assistant } from '../langgraph/assistant.ts';

/** Advertises `historyScope` (docs/history.md); the URI is the one the LangGraph A2A endpoint uses. */
const HISTORY_SCOPE: AgentExtension = {
  uri: 'https://langchain.com/a2a/extensions/history-scope/v1',
  description: 'Choose task-only or full-context response history',
  required: false,
  params: {
    header: 'LangGraph-A2A-History-Scope',
    values: ['context', 'task'],
    default: 'context',
    methods: ['SendMessage', 'GetTask', 'ListTasks'],
  },
};

const DEFAULT_MODES = ['text/plain', 'application/json'];

/** The card of an assistant (A2A 1.0, section 4.4). `url` is its endpoint. */
export function agentCard(
  assistant: Assistant,
  settings: CardSettings,
  url: string,
  version: string,
): AgentCard {
  const name = settings.name ?? assistant.name;
  const description =
    settings.description ?? assistant.description ?? `The LangGraph agent '${assistant.graphId}'`;
  const inputModes = settings.input_modes ?? DEFAULT_MODES;
  const outputModes = settings.output_modes ?? DEFAULT_MODES;
  const derived: AgentSkill = {
    id: assistant.graphId,
    name,
    description,
    tags: ['langgraph'],
    inputModes,
    outputModes,
  };
  return {
    name,
    description,
    version: settings.version ?? version,
    supportedInterfaces: [
      { url, protocolBinding: 'JSONRPC', protocolVersion: '1.0' },
      { url, protocolBinding: 'JSONRPC', protocolVersion: '0.3' },
    ],
    ...(settings.provider ? { provider: settings.provider } : {}),
    ...(settings.documentation_url ? { documentationUrl: settings.documentation_url } : {}),
    ...(settings.icon_url ? { iconUrl: settings.icon_url } : {}),
    capabilities: {
      streaming: true,
      pushNotifications: false,
      extendedAgentCard: false,
      extensions: cardExtensions(settings),
    },
    defaultInputModes: inputModes,
    defaultOutputModes: outputModes,
    skills: settings.skills ?? [derived],
  };
}

export function cardExtensions(settings: CardSettings): AgentExtension[] {
  return [HISTORY_SCOPE, ...(settings.extensions ?? [])];
}

/** Per field, the assistant's `metadata.a2a` wins over the configuration. */
export function mergeCardSettings(assistant: CardSettings, config: CardSettings): CardSettings {
  return { ...config, ...assistant };
}
