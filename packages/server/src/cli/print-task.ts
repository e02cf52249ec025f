import type { Artifact, Part, Task } from '@parley/protocol';
import type { Out } from './out.ts';
import { printParts } from './print-parts.ts';

/** What an agent has made so far: its answer first, which the agent puts there, and other artifacts under their names. */
export function printArtifacts(out: Out, task: Task): void {
  const artifacts = (task.artifacts ?? []).filter(({ parts }) => parts.some(isShown));
  for (const work of artifacts.filter(isWork)) printWork(out, work);
  const [answer, ...others] = artifacts.filter((artifact) => !isWork(artifact));
  if (!answer) return;
  printParts(out, answer.parts);
  for (const artifact of others) {
    out.line(`-- ${artifact.name ?? artifact.artifactId}`, 'dim');
    printParts(out, artifact.parts);
  }
}

/** What an agent says when it calls its tools leads to the answer, it is none. */
function isWork({ parts }: Artifact): boolean {
  return parts.some((part) => part.metadata?.langgraph === 'tools');
}

function printWork(out: Out, { parts }: Artifact): void {
  for (const part of parts) {
    if ('text' in part) out.note(part.text, 'dim');
    else printParts(out, [part]);
  }
}

function isShown(part: Part): boolean {
  return 'text' in part ? part.text !== '' : part.metadata?.langgraph !== 'interrupt';
}
