import { may, must, type Requirement, should, V1 } from '../requirement.ts';

export const history: readonly Requirement[] = [
  should('CORE-HIST-001', '3.2.4', 'No history of length 0: the field is absent from the task.'),
  must('CORE-HIST-002', '3.2.4', 'A history is never longer than asked for.'),
  should('CORE-HIST-003', '3.2.4', 'No history of length 0 in the answer to a message either.'),
  may('CORE-HIST-004', '3.2.4', 'Messages are kept in the history of their task.'),
  should(
    'CORE-HIST-005',
    '3.2.4',
    'Messages stand in the order in which they were said, each once, also under one messageId.',
  ),
  should('CORE-HIST-006', '3.2.4', 'Messages stand in the history as they were said.'),
  must('HIST-NEWEST', '3.2.4', 'A history of length N is the last N messages.'),
  must('HIST-LISTED', '3.2.4', 'The length counts for listed tasks too.', V1),
  must('HIST-NEGATIVE', '6.5', 'A negative length is refused with the name of the field.'),
];
