import { isInterrupted, isTerminal } from '@parley/protocol';
import { type FollowOptions, follow } from './follow.ts';
import type { Snapshot } from './ports/log.ts';

export interface Stop {
  seq: number;
  /** The task as it stood at `seq`, when its writer told us. */
  snapshot?: Snapshot;
}

/** Waits for the first state after the cursor in which a task waits for its caller or has ended; `undefined` if aborted. */
export async function awaitStop(options: FollowOptions & { until?: 'terminal' }): Promise<Stop | undefined> {
  let told: Snapshot | undefined;
  const off = options.wake.onEvents(options.taskId, (_, snapshot) => {
    told = snapshot ?? told;
  });
  try {
    for await (const batch of follow(options)) {
      for (const { seq, event } of batch) {
        if (!('statusUpdate' in event)) continue;
        const { state } = event.statusUpdate.status;
        if (!isTerminal(state) && (options.until === 'terminal' || !isInterrupted(state))) continue;
        return told && told.seq >= seq ? { seq, snapshot: told } : { seq };
      }
    }
    return undefined;
  } finally {
    off();
  }
}
