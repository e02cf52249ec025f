import { must, type Requirement, should } from '../requirement.ts';

export const extensions: readonly Requirement[] = [
  must('JSONRPC-SVC-002', '9.2', 'Extensions are asked for in a header.'),
  must('EXT-LIST', '3.2.6', 'Extensions are a list with commas, under a header of any case.'),
  must('EXT-UNKNOWN', '4.6.3', 'An extension that nobody knows is passed over.'),
  must(
    'EXT-EVERY-OPERATION',
    '3.3.4',
    'An extension that is required is required by every operation, and of streams in plain JSON.',
  ),
  must('EXT-REQUIRED-MET', '4.6.3', 'Who names the extension that is required is served.'),
  must('EXT-NO-FALLBACK', '4.6.3', 'An extension of another version is another extension.'),
  should('EXT-ACTIVE', '3.2.6', 'The answer names the extensions that are active, on streams too.'),
  should('EXT-CARD', '4.6.3', 'The card says which extensions there are and which are required.'),
  must('EXT-CONTRIBUTED', '4.6.3', 'A message or artifact names the extensions that have a part in it.'),
];
