/** Thrown by every write through a lease that somebody else holds now: the run must stop and write nothing more. */
export class Fenced extends Error {
  override readonly name = 'Fenced';
  constructor(runId: string) {
    super(`run ${runId} was taken over`);
  }
}
