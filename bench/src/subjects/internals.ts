/**
 * Parts of @parley/server that it does not export: the floor uses the same checkpointer, and stores are filled without
 * HTTP. They come from where the package itself comes from (`dist`, or `src` under the condition `@parley/source`).
 */

import { extname } from 'node:path';

const entry = import.meta.resolve('@parley/server');

const load = <T>(module: string): Promise<T> =>
  import(new URL(`./${module}${extname(entry)}`, entry).href) as Promise<T>;

export const { openDatabase } =
  await load<typeof import('../../../packages/server/src/store/sqlite/database.ts')>('store/sqlite/database');
export const { openCheckpoints } = await load<
  typeof import('../../../packages/server/src/store/sqlite/checkpoints/open.ts')
>('store/sqlite/checkpoints/open');
export const { openSqliteStore } =
  await load<typeof import('../../../packages/server/src/store/sqlite/open.ts')>('store/sqlite/open');
export const { admitMessage } =
  await load<typeof import('../../../packages/server/src/engine/admit.ts')>('engine/admit');
export const { startOfRun, endOfRun } =
  await load<typeof import('../../../packages/server/src/engine/run-end.ts')>('engine/run-end');
