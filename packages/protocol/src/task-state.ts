import type { TaskState } from './model.ts';

const TERMINAL: ReadonlySet<TaskState> = new Set([
  'TASK_STATE_COMPLETED',
  'TASK_STATE_FAILED',
  'TASK_STATE_CANCELED',
  'TASK_STATE_REJECTED',
]);

/** Nothing about the task changes any more. */
export function isTerminal(state: TaskState): boolean {
  return TERMINAL.has(state);
}

/** The task waits for its caller. */
export function isInterrupted(state: TaskState): boolean {
  return state === 'TASK_STATE_INPUT_REQUIRED' || state === 'TASK_STATE_AUTH_REQUIRED';
}

/** A blocking send returns (A2A 1.0, section 3.2.2). */
export function isStop(state: TaskState): boolean {
  return isTerminal(state) || isInterrupted(state);
}

/** A stream of a sent message ends; it stays open in AUTH_REQUIRED (sections 3.1.2 and 7.6.1). */
export function endsStream(state: TaskState): boolean {
  return isTerminal(state) || state === 'TASK_STATE_INPUT_REQUIRED';
}
