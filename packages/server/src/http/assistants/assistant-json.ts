import type { AssistantRecord, AssistantVersion } from '../../assistants/ports.ts';

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

function iso(ms: number): string {
  return new Date(ms).toISOString();
}
