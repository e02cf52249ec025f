import { isTerminal, type TaskState } from '@parley/protocol';
import { explain, jsonRpcCode } from './client-error.ts';
import { commandLine } from './command-line.ts';
import { CliError, EXIT, type ExitCode } from './exit.ts';
import type { Out, Style } from './out.ts';
import type { TaskHead } from './print-stream.ts';
import { questionsOf, replyTo } from './question.ts';
import { stateName } from './task-state.ts';

/** Where the agent is, and from where it is called. */
export interface Place {
  url: string;
  env: NodeJS.ProcessEnv;
}

/** How a task stands: its question with the command that answers it, or its end. Returns the exit code. */
export function printEnd(out: Out, task: TaskHead, place: Place): ExitCode {
  const { id, contextId, status } = task;
  const code = exitCodeOf(status.state);
  if (out.json) return code;
  out.clear();
  const said = textOfStatus(task);
  if (isTerminal(status.state)) {
    if (said !== '') out.note(said, styleOf(status.state));
    out.note(`${stateName(status.state)}  task ${id}  context ${contextId}`, styleOf(status.state));
    return code;
  }
  if (said !== '') out.line(said, 'bold');
  out.note(`${stateName(status.state)}  task ${id}  context ${contextId}`, styleOf(status.state));
  if (status.state === 'TASK_STATE_INPUT_REQUIRED' || status.state === 'TASK_STATE_AUTH_REQUIRED') {
    const questions = questionsOf(task);
    for (const { id: question, text } of questions.length > 1 ? questions : [])
      out.line(`  ${question}: ${text}`);
    out.line(
      `answer with: ${commandLine(place.env, 'send', place.url, ...replyTo(questions), '--task', id)}`,
    );
  } else out.note(`follow it with: ${commandLine(place.env, 'tasks', 'watch', place.url, id)}`);
  return code;
}

export function exitCodeOf(state: TaskState): ExitCode {
  const bad: TaskState[] = ['TASK_STATE_FAILED', 'TASK_STATE_REJECTED', 'TASK_STATE_CANCELED'];
  return bad.includes(state) ? EXIT.failed : EXIT.ok;
}

/** A stream that ends before its task does has lost its server. */
export function cutOff(taskId: string, { url, env }: Place, cause?: unknown): CliError {
  const next = commandLine(env, 'tasks', 'watch', url, taskId);
  // The client's limit for one event, which is not the network's fault.
  const why =
    cause instanceof Error && /exceed/.test(cause.message) ? ` (${cause.message.split('.')[0]})` : '';
  return new CliError(EXIT.failed, `the stream ended before the task did${why}; follow it with: ${next}`, {
    cause,
  });
}

/** A connection that is lost does not end the task; what the agent itself said is told as it is. */
export function brokenOff(error: unknown, task: TaskHead | undefined, place: Place): Error {
  if (!task || isTerminal(task.status.state) || jsonRpcCode(error) !== undefined)
    return explain(error, place.url);
  return cutOff(task.id, place, error);
}

function textOfStatus({ status }: TaskHead): string {
  return (status.message?.parts ?? []).map((part) => ('text' in part ? part.text : '')).join('');
}

function styleOf(state: TaskState): Style {
  if (state === 'TASK_STATE_COMPLETED') return 'green';
  return isTerminal(state) ? 'red' : 'yellow';
}
