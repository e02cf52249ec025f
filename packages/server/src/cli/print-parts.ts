import type { DataPart, JsonObject, Part } from '@parley/protocol';
import type { Out } from './out.ts';

/** Parts that stand for themselves. Text is written as it is, so that the pieces of a stream join. */
export function printParts(out: Out, parts: readonly Part[]): void {
  for (const part of parts) {
    if ('text' in part) out.write(part.text);
    else if ('data' in part) printData(out, part);
    else out.line(fileLine(part), 'cyan');
  }
}

function printData(out: Out, part: DataPart): void {
  const kind = part.metadata?.langgraph;
  // An open question is printed with the task's end, an answered one no more.
  if (kind === 'interrupt') return;
  if (kind === 'tools') printTools(out, part.data as JsonObject);
  else out.line(JSON.stringify(part.data));
}

/** Calls and results of tools are how the agent came to its answer, not the answer. */
function printTools(out: Out, data: JsonObject): void {
  const calls = (data.toolCalls ?? []) as { id: string; name: string; args?: unknown }[];
  const results = (data.toolResults ?? []) as { toolCallId: string; status: string; content: unknown }[];
  for (const { id, name, args } of calls) {
    const result = results.find(({ toolCallId }) => toolCallId === id);
    const content = typeof result?.content === 'string' ? result.content : JSON.stringify(result?.content);
    const shown = result
      ? ` -> ${result.status === 'error' ? 'error: ' : ''}${shortened(content ?? '')}`
      : '';
    out.note(`${name}(${args === undefined ? '' : shortened(JSON.stringify(args))})${shown}`, 'dim');
  }
}

function fileLine(part: Exclude<Part, DataPart | { text: string }>): string {
  const name = part.filename ?? 'file';
  const type = part.mediaType === undefined ? '' : `${part.mediaType}, `;
  if ('url' in part) return `[${name}] ${part.mediaType ?? ''} ${part.url}`;
  return `[${name}] ${type}${Buffer.from(part.raw, 'base64').length} bytes`;
}

function shortened(text: string): string {
  const line = text.replaceAll(/\s+/g, ' ').trim();
  return line.length > 120 ? `${line.slice(0, 119)}…` : line;
}
