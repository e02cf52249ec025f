import { A2AError, type AgentExtension, isA2AError, type Message } from '@parley/protocol';
import { cardExtensions, mergeCardSettings } from '../cards/agent-card.ts';
import {
  type AssistantSettings,
  type CardSettings,
  cardSettings,
  DEFAULT_ASSISTANT_SETTINGS,
} from '../config/settings.ts';
import { type Agent, assertTakesMessages } from '../langgraph/agent.ts';
import { type Assistant, systemAssistant } from '../langgraph/assistant.ts';

/** An assistant with the agent behind it and everything its endpoint needs to know. */
export interface ServedAssistant extends Assistant {
  agent: Agent;
  settings: AssistantSettings;
  card: CardSettings;
  extensions: AgentExtension[];
  /** Throws what a caller gets whose message this assistant cannot take. */
  assertTakes(message: Message): Promise<void>;
}

export interface Assistants {
  /** By assistant id or graph id. */
  find(id: string): ServedAssistant | undefined;
  list(): ServedAssistant[];
}

/** One assistant for each graph, as the LangGraph API has it. */
export function createAssistants(
  agents: ReadonlyMap<string, { agent: Agent; description?: string }>,
  settings: { [graphId: string]: AssistantSettings },
): Assistants {
  const byId = new Map<string, ServedAssistant>();
  const served = [...agents].map(([graphId, { agent, description }]) => {
    const own = Object.hasOwn(settings, graphId) ? settings[graphId] : undefined;
    return serve(systemAssistant(graphId, description), agent, own ?? DEFAULT_ASSISTANT_SETTINGS);
  });
  for (const assistant of served) byId.set(assistant.graphId, assistant).set(assistant.id, assistant);
  return { find: (id) => byId.get(id), list: () => served };
}

function serve(assistant: Assistant, agent: Agent, settings: AssistantSettings): ServedAssistant {
  const metadata = cardSettings.safeParse(assistant.metadata.a2a ?? {});
  const card = mergeCardSettings(metadata.success ? metadata.data : {}, settings);
  let takesMessages: Promise<void> | undefined;
  return {
    ...assistant,
    agent,
    settings,
    card,
    extensions: cardExtensions(card),
    assertTakes: async (message) => {
      if (settings.strictInputModes && card.input_modes) assertModes(message, card.input_modes);
      takesMessages ??= assertTakesMessages(agent, assistant.graphId, { configurable: {} });
      await takesMessages.catch((error: unknown) => {
        // A factory that failed may do better next time.
        if (!isA2AError(error)) takesMessages = undefined;
        throw error;
      });
    },
  };
}

function assertModes(message: Message, modes: readonly string[]): void {
  for (const part of message.parts) {
    const mode =
      part.mediaType ?? ('text' in part ? 'text/plain' : 'data' in part ? 'application/json' : undefined);
    if (mode === undefined || modes.includes(mode)) continue;
    throw new A2AError(
      'content-type-not-supported',
      `This agent does not take ${mode}; it takes ${modes.join(', ')}`,
    );
  }
}
