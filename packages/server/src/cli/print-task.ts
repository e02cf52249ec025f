import type { Artifact, Task } from '@parley/protocol';
import type { Out } from './out.ts';
import { printParts } from './print-parts.ts';

/** What an agent has made so far: its answer first, which the agent puts there, and everything else under its name. */
export function printArtifacts(out: Out, task: Task): void {
  const [answer, ...others] = (task.artifacts ?? []).filter(hasSomething);
  if (!answer) return;
  printParts(out, answer.parts);
  for (const artifact of others) {
    out.line(`-- ${artifact.name ?? artifact.artifactId}`, 'dim');
    printParts(out, artifact.parts);
  }
}

function hasSomething({ parts }: Artifact): boolean {
  return parts.some((part) => ('text' in part ? part.text !== '' : part.metadata?.langgraph !== 'interrupt'));
}
