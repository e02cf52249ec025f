import type { AssistantRecord, AssistantVersion } from '../../assistants/ports.ts';
import type { GraphSchemas } from '../../langgraph/graph-schemas.ts';

/** An assistant as the LangGraph API gives it. */
export function assistantJson(assistant: AssistantRecord): object {
  return { ...versionJson(assistant), updated_at: iso(assistant.updatedAt) };
}

export function versionJson(version: AssistantVersion): object {
  return {
    assistant_id: version.id,
    graph_id: version.graphId,
    name: version.name,
    description: version.description,
    config: version.config,
    context: version.context,
    metadata: version.metadata,
    version: version.version,
    created_at: iso(version.createdAt),
  };
}

export function schemasJson(graphId: string, { input, output, state, config }: GraphSchemas): object {
  return {
    graph_id: graphId,
    input_schema: input,
    output_schema: output,
    state_schema: state,
    config_schema: config,
    // LangGraph.js has one schema for both.
    context_schema: config,
  };
}

function iso(ms: number): string {
  return new Date(ms).toISOString();
}
