import { must, type Requirement, should } from '../requirement.ts';

export const jsonRpc: readonly Requirement[] = [
  must('JSONRPC-FMT-001', '9.1', 'An answer is a JSON-RPC 2.0 response with either a result or an error.'),
  must('JSONRPC-FMT-002', '9.1', 'An answer is application/json.'),
  must('JSONRPC-SVC-001', '9.1', 'Every operation has the method name that its version gives it.'),
  must('JSONRPC-ID', '9.1', 'The id of a call comes back as it was, a number or a string.'),
  should(
    'JSONRPC-SLASH',
    '9.1',
    'The endpoint answers with and without a slash at its end, and redirects nobody.',
  ),
  must(
    'JSONRPC-BODY-TYPE',
    '9.1',
    'A body that does not say it is JSON is refused: ContentTypeNotSupported.',
  ),
];
