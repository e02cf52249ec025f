import type { Database } from '../database.ts';
import { type ItemSettings, ItemStore, type ItemStoreOptions } from './item-store.ts';
import { openItemRows } from './rows.ts';

export interface Items {
  /** A store whose reads and writes are carried out as given. */
  store(how: Pick<ItemStoreOptions, 'read' | 'write'>): ItemStore;
  /** Deletes up to `limit` items that have expired, within the caller's transaction; returns how many. */
  forgetExpired(limit: number): number;
}

export function openItems(database: Database, settings: ItemSettings, now: () => number): Items {
  const rows = openItemRows(database);
  return {
    store: (how) => new ItemStore({ rows, settings, now, ...how }),
    forgetExpired: (limit) => rows.removeExpired(now(), limit),
  };
}
