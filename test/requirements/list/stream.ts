import { must, type Requirement, should, V1 } from '../requirement.ts';

export const stream: readonly Requirement[] = [
  must('CORE-STREAM-001', '3.1.2', 'A streamed message opens a stream of at least one event.'),
  must('CORE-STREAM-002', '3.1.2', 'A stream that begins with a Message is that Message alone.'),
  must(
    'CORE-STREAM-003',
    '3.1.2',
    'A stream of a task begins with the Task and ends when the task has ended.',
  ),
  must('STREAM-ONE-TASK', '3.1.2', 'After the first event of a stream come updates, no second Task.'),
  must('STREAM-IDS', '4.2', 'Every update names its task and its context.'),
  must('STREAM-CLOSES-ON-INPUT', '11.7', 'The stream of a message ends when the task needs an answer.'),
  should(
    'STREAM-OPEN-ON-AUTH',
    '7.6.1',
    'The stream of a message stays open while the task needs authorization.',
  ),
  must('STREAM-ERROR-FIRST', '9.4.2', 'What is wrong before the first event is a plain JSON error.'),
  must(
    'STREAM-CHUNKS',
    '4.2.2',
    'Pieces of one artifact share its id, say that they append, and the last says so.',
  ),
  must('STREAM-CHUNKS-MERGED', '4.2.2', 'The task holds an artifact that came in pieces as one.'),
  must('STREAM-HANG-UP', '3.5.2', 'A client that hangs up does not end the task.'),
  must('STREAM-LIVE', '3.1.2', 'Events go out while the agent still works.'),
  must('STREAM-ORDER-001', '3.5.2', 'States of a stream never go back, and the last one is an end.'),
  must('STREAM-ORDER-002', '3.5.2', 'Every open stream of a task gets its events.'),
  must('STREAM-ORDER-003', '3.5.2', 'Two streams of a task get the same events in the same order.'),
  must('STREAM-ORDER-004', '3.5.2', 'The end of one stream is not the end of another.'),
  must('STREAM-SUB-001', '3.1.6', 'A subscription begins with the Task as it is.'),
  must('STREAM-SUB-002', '3.1.6', 'A subscription stays through a question and ends with the task.'),
  must(
    'STREAM-SUB-003',
    '3.1.6',
    'There is nothing to subscribe to in a task that has ended: UnsupportedOperation.',
  ),
  must('STREAM-SUB-004', '3.1.6', 'There is nothing to subscribe to in an unknown task: TaskNotFound.'),
  must(
    'STREAM-SUB-NO-GAP',
    '3.1.6',
    'Snapshot and updates of a subscription are the task, nothing missing, nothing twice.',
  ),
  must(
    'JSONRPC-SSE-001',
    '9.4.2',
    'A stream is text/event-stream, each event one JSON-RPC response with the id of the call.',
  ),
  should('STREAM-NOT-BUFFERED', '13.4', 'A stream tells proxies neither to keep it nor to hold it back.'),
  must('STREAM-FINAL', '4.2', 'In 0.3 the last status of a stream is final, and no other.', { on: ['0.3'] }),
  must('STREAM-NOT-FINAL', '4.2.1', 'In 1.0 no event says final: the end of the stream is its end.', V1),
];
