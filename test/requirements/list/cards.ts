import { later, may, must, type Requirement, should, V1 } from '../requirement.ts';

export const cards: readonly Requirement[] = [
  must('CARD-DISC-001', '8.1', 'The card is at the well-known place, and at the endpoint itself.', V1),
  must(
    'CARD-STRUCT-001',
    '4.4.1',
    'The card has everything a client needs, and no member that 1.0 does not have.',
    V1,
  ),
  must('CARD-PROTO-001', '8.3', 'The card names a binding and a version for each interface.', V1),
  must(
    'CARD-PROTO-002',
    '8.3.1',
    'The URL of each interface is absolute and is where the agent answers.',
    V1,
  ),
  must('BIND-FIELD-001', '5.2', 'Every binding that is served is on the card, under its official name.', V1),
  should('CARD-NOT-EMPTY', '5.7', 'Lists that the card must have are not empty.', V1),
  must('CARD-PRESENCE', '5.7', 'Lists that the card need not have are absent when they are empty.', V1),
  must('CARD-MODES', '4.4.1', 'Modes of the card are media types.', V1),
  should('CARD-CACHE-001', '8.6.1', 'The card says how long it may be kept.', V1),
  should('CARD-CACHE-002', '8.6.1', 'The card has an entity tag.', V1),
  may('CARD-CACHE-003', '8.6.1', 'The card may say when it was last changed.', V1),
  should('CARD-UNCHANGED', '8.6', 'Who has the card as it is gets 304.', V1),
  should('CARD-HEAD', '8.6', 'The headers of the card can be had without it.', V1),
  must('CARD-V0_3', '8.3', 'A client of 0.3 reads a card of 0.3 where a card of no version is asked for.', {
    on: ['0.3'],
  }),
  must(
    'CARD-EXT-001',
    '3.1.11',
    'The extended card is for authenticated clients alone.',
    later('the extended card comes with authentication'),
  ),
  must(
    'CARD-EXT-002',
    '3.1.11',
    'An extended card that is declared and not configured: ExtendedAgentCardNotConfigured.',
    later('the extended card comes with authentication'),
  ),
  must(
    'CARD-EXT-PRIVATE',
    '13.3',
    'A card that is made for one client is kept by no cache.',
    later('the extended card comes with authentication'),
  ),
  must(
    'CARD-SIGN-001',
    '8.4.1',
    'What is signed is the canonical form of the card.',
    later('cards are not signed yet'),
  ),
  must(
    'CARD-SIGN-002',
    '8.4.1',
    'The signatures are not part of what is signed.',
    later('cards are not signed yet'),
  ),
  must(
    'CARD-SIGN-003',
    '8.4.2',
    'A signature names its algorithm and its key.',
    later('cards are not signed yet'),
  ),
  must(
    'CARD-SIGN-004',
    '8.4.3',
    'A key that has expired or is revoked proves nothing.',
    later('cards are not signed yet'),
  ),
];
