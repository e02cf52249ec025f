export const VERSIONS = ['1.0', '0.3'] as const;
export type Version = (typeof VERSIONS)[number];

/** One statement that a client may rely on. */
export interface Requirement {
  /** The official suite's where it has one. */
  id: string;
  level: 'MUST' | 'SHOULD' | 'MAY';
  /** Of A2A 1.0. */
  section: string;
  sentence: string;
  /** Versions of the wire that it is asked of, both unless named. */
  on?: readonly Version[];
  /** Why nothing here checks it. */
  later?: string;
}

type More = Pick<Requirement, 'on' | 'later'>;
type Statement = (id: string, section: string, sentence: string, more?: More) => Requirement;

const at =
  (level: Requirement['level']): Statement =>
  (id, section, sentence, more = {}) => ({ id, level, section, sentence, ...more });

export const must: Statement = at('MUST');
export const should: Statement = at('SHOULD');
export const may: Statement = at('MAY');
/** For what version 0.3 has no words. */
export const V1: More = { on: ['1.0'] };
export const later = (because: string): More => ({ later: because });
