import { later, may, must, type Requirement, should, V1 } from '../requirement.ts';

export const send: readonly Requirement[] = [
  must('CORE-SEND-001', '3.1.1', 'A message is answered with one Task or one Message and nothing beside it.'),
  must('CORE-SEND-002', '3.1.1', 'A task that has ended takes no message: UnsupportedOperation.'),
  must(
    'CORE-SEND-003',
    '3.1.1',
    'A part of a media type that the agent does not take is refused: ContentTypeNotSupported.',
  ),
  must(
    'CORE-EXECUTION-MODE-001',
    '3.2.2',
    'Who does not ask otherwise waits until the task ends or needs its caller.',
  ),
  must(
    'CORE-EXECUTION-MODE-002',
    '3.2.2',
    'Who asks to return at once gets the task as it is, and polls for the rest.',
  ),
  must('SEND-ALL-ARTIFACTS', '3.2.2', 'The answer of one who waits has every artifact made by then.'),
  must('SEND-AUTH-STOPS', '3.2.2', 'One who waits is answered when the task needs authorization.'),
  must('SEND-IMMEDIATE-STREAM', '3.2.2', 'A stream is a stream also for one who asks to return at once.'),
  must(
    'SEND-IMMEDIATE-MESSAGE',
    '3.2.2',
    'A bare Message is the answer also for one who asks to return at once.',
  ),
  must(
    'SEND-IMMEDIATE-PUSH',
    '3.2.2',
    'Webhooks are called also for one who asks to return at once.',
    later('webhooks are not built yet'),
  ),
  must('SEND-METADATA', '3.2.1', 'The metadata of a request reaches the agent.'),
  must('SEND-MESSAGE-CONTEXT', '4.1.4', 'A Message of the agent names its context.'),
  must('SEND-MESSAGE-NO-TASK', '3.1.1', 'A bare Message names no task, and none is listed.', V1),
  should('SEND-RESULT-IS-ARTIFACT', '3.7', 'What a task has produced is in its artifacts.'),
  may('SEND-REJECTED', '4.1.3', 'An agent may reject a message: the task is REJECTED and says why.'),
];
