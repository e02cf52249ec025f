import { type TaskState as ClientTaskState, taskStateFromJSON } from '@a2a-js/sdk';
import { TASK_STATES, type TaskState } from '@parley/protocol';

/** `TASK_STATE_INPUT_REQUIRED` -> `input-required` */
export function stateName(state: TaskState): string {
  return state.replace('TASK_STATE_', '').toLowerCase().replaceAll('_', '-');
}

export const STATE_NAMES: readonly string[] = TASK_STATES.map(stateName);

export function stateNamed(name: string): ClientTaskState {
  return taskStateFromJSON(`TASK_STATE_${name.toUpperCase().replaceAll('-', '_')}`);
}
