import type { Check } from './check.ts';
import type { Peer } from './peer.ts';

/** A requirement that is known not to hold. */
export interface ExpectedFailure {
  id: string;
  on: readonly string[];
  because: string;
}

/** Carries out a check. One that is expected to fail and does not is a failure: the list can only shrink. */
export async function judge(check: Check, peer: Peer, expected: ExpectedFailure | undefined): Promise<void> {
  if (!expected) return check(peer);
  const failed = await check(peer).then(
    () => false,
    () => true,
  );
  if (!failed) throw new Error(`${expected.id} holds on ${peer.version}: take it off the expected failures`);
}
