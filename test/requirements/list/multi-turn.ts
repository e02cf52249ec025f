import { later, may, must, type Requirement, should } from '../requirement.ts';

export const multiTurn: readonly Requirement[] = [
  may('CORE-MULTI-001', '3.4.1', 'Who names no context is given one.'),
  must('CORE-MULTI-001a', '3.4.1', 'A context that the agent has made is in its answer.'),
  may('CORE-MULTI-002', '3.4.1', 'A context that the client has named is taken, whatever it looks like.'),
  must('CORE-MULTI-002a', '3.4.1', 'A context that cannot be taken is an error, never replaced by another.'),
  must('CORE-MULTI-003', '3.4.2', 'Every new task has an id of its own.'),
  must('CORE-MULTI-004', '3.4.2', 'A client does not choose the id of a new task: TaskNotFound.'),
  must('CORE-MULTI-005', '3.4.3', 'A message that names its task alone belongs to the context of the task.'),
  must('CORE-MULTI-006', '3.4.3', 'A message that names a task and another context is refused.'),
  must('MULTI-MISMATCH-UNTOUCHED', '3.4.3', 'A message of another context leaves the task as it was.'),
  should('MULTI-ASK-AGAIN', '3.4.3', 'A task may need an answer more than once.'),
  must('AUTH-INTASK-001', '7.6.1', 'What needs authorization is a Task.'),
  must('AUTH-INTASK-002', '7.6.1', 'The state of that task is AUTH_REQUIRED.'),
  must('AUTH-INTASK-003', '7.6.1', 'Its status message says what is needed.'),
  must(
    'AUTH-INTASK-004',
    '7.6.1',
    'Credentials come by another way than the task: the agent learns nothing but that they have come.',
    later('what an agent does with credentials is its own'),
  ),
  should('AUTH-INTASK-005', '7.6.1', 'Streams stay open while authorization is awaited.'),
  should('AUTH-INTASK-006', '7.6.1', 'The task takes messages while authorization is awaited.'),
];
