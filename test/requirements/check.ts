import type { Peer } from './peer.ts';

/** Throws if the requirement does not hold. */
export type Check = (peer: Peer) => Promise<void>;

/** By the id of the requirement. */
export interface Checks {
  [id: string]: Check;
}
