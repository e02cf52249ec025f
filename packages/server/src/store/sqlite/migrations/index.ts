import { initial } from './0001_initial.ts';
import { turns } from './0002_turns.ts';
import { assistants } from './0003_assistants.ts';
import { items } from './0004_items.ts';

/** Number n takes a database from schema n - 1 to n. Forward only: a released one is never changed. */
export const MIGRATIONS: readonly string[] = [initial, turns, assistants, items];
