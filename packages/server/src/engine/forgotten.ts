/** Thrown by a store that is asked about a task or run which was deleted since, with its thread. */
export class Forgotten extends Error {
  override readonly name = 'Forgotten';
  readonly id: string;

  constructor(id: string) {
    super(`${id} was deleted`);
    this.id = id;
  }
}
