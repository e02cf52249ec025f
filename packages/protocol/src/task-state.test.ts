import { expect, it } from 'vitest';
import { TASK_STATES } from './model.ts';
import { endsStream, isInterrupted, isStop, isTerminal } from './task-state.ts';

it('sorts the states', () => {
  const short = (holds: (state: (typeof TASK_STATES)[number]) => boolean) =>
    TASK_STATES.filter(holds).map((state) => state.replace('TASK_STATE_', ''));
  const terminal = ['COMPLETED', 'FAILED', 'CANCELED', 'REJECTED'];
  expect(short(isTerminal).sort()).toEqual(terminal.sort());
  expect(short(isInterrupted).sort()).toEqual(['AUTH_REQUIRED', 'INPUT_REQUIRED']);
  expect(short(isStop).sort()).toEqual([...terminal, 'AUTH_REQUIRED', 'INPUT_REQUIRED'].sort());
  expect(short(endsStream).sort()).toEqual([...terminal, 'INPUT_REQUIRED'].sort());
});
