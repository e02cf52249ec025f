import { must, type Requirement, should, V1 } from '../requirement.ts';

export const versions: readonly Requirement[] = [
  must('VER-CLIENT-001', '3.6.1', 'The client of the command line names the version in each call.', V1),
  must('VER-CLIENT-002', '3.6', 'A patch number has no say in which version is spoken.'),
  must('VER-SERVER-001', '3.6.2', 'A request is carried out by the rules of the version that it names.'),
  must('VER-SERVER-002', '3.6.2', 'A version that is not served is refused: VersionNotSupported.'),
  must(
    'VER-SERVER-003',
    '3.6.2',
    'An empty version is an absent one; where the server is strict, that is 0.3.',
  ),
  must('VER-EVERY-OPERATION', '3.6.2', 'The version is looked at before anything else, in every operation.'),
  must('VER-STREAM', '3.6.2', 'A stream of a version that is not served is a plain JSON error.'),
  must('VER-QUERY', '3.6.1', 'The version may stand in the query of the URL.'),
  must('VER-CONTRADICTION', '3.6.2', 'A method of another version than the one named is refused.'),
  should('VER-SHARED-URL', '3.6.3', 'Both versions are served at one URL, and the card says so.'),
];
