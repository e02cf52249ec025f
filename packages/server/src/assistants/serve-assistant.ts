import { A2AError, type AgentExtension, isA2AError, type Message } from '@parley/protocol';
import { cardExtensions, mergeCardSettings } from '../cards/agent-card.ts';
import { type AssistantSettings, type CardSettings, cardSettings } from '../config/settings.ts';
import { type Agent, assertTakesMessages } from '../langgraph/agent.ts';
import { type Assistant, systemAssistantId } from '../langgraph/assistant.ts';
import { ownConfig } from '../langgraph/assistant-config.ts';
import type { AssistantRecord } from './ports.ts';

/** An assistant with the agent behind it and everything its endpoint needs to know. */
export interface ServedAssistant extends Assistant {
  /** `null`: everybody's. */
  owner: string | null;
  /** How its own card's URL names it. */
  pathName: string;
  /** Milliseconds since 1970. */
  updatedAt: number;
  agent: Agent;
  settings: AssistantSettings;
  card: CardSettings;
  extensions: AgentExtension[];
  /** Throws what a caller gets whose message this assistant cannot take. */
  assertTakes(message: Message): Promise<void>;
}

/** A graph of the configuration. */
export interface ServedGraph {
  agent: Agent;
  /** Of its entry in `langgraph.json`. */
  description?: string;
  settings: AssistantSettings;
}

/** What the LangGraph API calls an assistant that was created without a name. */
export const UNTITLED = 'Untitled';

export function serveAssistant(record: AssistantRecord, graph: ServedGraph): ServedAssistant {
  const { id, owner, graphId, name, config, context, metadata, updatedAt } = record;
  const { agent, settings } = graph;
  const description = record.description ?? graph.description;
  const card = cardOf(record, settings);
  let takesMessages: Promise<void> | undefined;
  return {
    id,
    owner,
    graphId,
    name,
    ...(description === undefined ? {} : { description }),
    config,
    context,
    metadata,
    pathName: id === systemAssistantId(graphId) ? graphId : id,
    updatedAt,
    agent,
    settings,
    card,
    extensions: cardExtensions(card),
    assertTakes: async (message) => {
      if (settings.strictInputModes && card.input_modes) assertModes(message, card.input_modes);
      takesMessages ??= assertTakesMessages(agent, graphId, ownConfig(record));
      await takesMessages.catch((error: unknown) => {
        // A factory that failed may do better next time.
        if (!isA2AError(error)) takesMessages = undefined;
        throw error;
      });
    },
  };
}

/** Field by field: `metadata.a2a`, the name and description somebody gave it, the configuration of its graph. */
function cardOf(
  { graphId, name, description, metadata }: AssistantRecord,
  config: CardSettings,
): CardSettings {
  const said = cardSettings.safeParse(metadata.a2a ?? {});
  const named = name === graphId || name === UNTITLED ? {} : { name };
  const described = description === null ? {} : { description };
  return mergeCardSettings({ ...named, ...described, ...(said.success ? said.data : {}) }, config);
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
