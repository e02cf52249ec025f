import { must, type Requirement, V1 } from '../requirement.ts';

/** What the official clients rely on, as they are: their cards, their headers, their reading of answers. */
export const clients: readonly Requirement[] = [
  must(
    'CLIENT-SEND',
    '3.1.1',
    'The official client finds the agent by its card, sends a message and reads the task.',
  ),
  must('CLIENT-STREAM', '3.1.2', 'The official client reads a stream from the Task to its end.'),
  must('CLIENT-TURNS', '3.4.3', 'The official client goes on with a conversation.'),
  must('CLIENT-LIST', '3.1.4', 'The official client pages through tasks.', V1),
  must('CLIENT-COMMAND', '3.6.1', 'The client of the command line is served by a strict server.', V1),
];
