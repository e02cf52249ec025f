import type { BaseCheckpointSaver, Checkpoint, CheckpointMetadata } from '@langchain/langgraph-checkpoint';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { type Database, openDatabase } from '../database.ts';
import { openCheckpoints } from './open.ts';

let database: Database;
let saver: BaseCheckpointSaver;
beforeEach(() => {
  database = openDatabase(':memory:');
  saver = openCheckpoints(database).ofLane(1, (body) => database.join(body));
});
afterEach(() => database.close());

const metadata: CheckpointMetadata = { source: 'loop', step: 1, parents: {} };

const configOf = (id?: string, ns = '') => ({
  configurable: { thread_id: 't', checkpoint_ns: ns, ...(id === undefined ? {} : { checkpoint_id: id }) },
});

/** Puts a checkpoint on top of `parent`; channels that are not `fresh` keep what they had there. */
function put(
  id: string,
  parent: string | undefined,
  channels: { [name: string]: { value: unknown; version: number } },
  fresh: string[],
  ns = '',
): Promise<unknown> {
  const of = <T>(pick: (channel: { value: unknown; version: number }) => T, names = Object.keys(channels)) =>
    Object.fromEntries(
      names.map((name) => [name, pick(channels[name] as { value: unknown; version: number })]),
    );
  const checkpoint: Checkpoint = {
    v: 4,
    id,
    ts: '2026-01-01T00:00:00Z',
    channel_values: of(({ value }) => value),
    channel_versions: of(({ version }) => version),
    versions_seen: {},
  };
  return saver.put(
    configOf(parent, ns),
    checkpoint,
    metadata,
    of(({ version }) => version, fresh),
  );
}

const valuesOf = async (id: string, ns = '') =>
  (await saver.getTuple(configOf(id, ns)))?.checkpoint.channel_values;

it('does not take a channel for another whose name and version read the same', async () => {
  const doc2 = { value: 'two', version: 3 };
  const doc = { value: 'one', version: 23 };
  await put('a', undefined, { doc2 }, ['doc2']);
  await put('b', 'a', { doc, doc2 }, ['doc']);
  await put('c', 'b', { doc, doc2 }, []);
  expect(await valuesOf('c')).toEqual({ doc: 'one', doc2: 'two' });
});

it('takes the value of the version that a checkpoint has, not the one of its parent', async () => {
  await put('a', undefined, { state: { value: 'first', version: 1 } }, ['state']);
  await put('b', 'a', { state: { value: 'second', version: 2 } }, ['state']);
  await put('c', 'b', { state: { value: 'first', version: 1 } }, []);
  expect(await valuesOf('c')).toEqual({ state: 'first' });
});

it('takes values of the parent of the same namespace', async () => {
  const state = (value: string) => ({ state: { value, version: 1 } });
  await put('a', undefined, state('inner'), ['state'], 'sub');
  await put('a', undefined, state('outer'), ['state']);
  await put('b', 'a', state('inner'), [], 'sub');
  expect(await valuesOf('b', 'sub')).toEqual({ state: 'inner' });
});

it('takes nothing of a thread that was deleted', async () => {
  const old = { state: { value: 'old', version: 1 } };
  await put('a', undefined, old, ['state']);
  await saver.deleteThread('t');
  await put('b', 'a', { ...old, other: { value: 'new', version: 2 } }, ['other']);
  expect(await valuesOf('b')).toEqual({ other: 'new' });
});

it('rejects with what fails while a tuple is read, and nothing else fails behind it', async () => {
  await put('a', undefined, { state: { value: 'x', version: 1 } }, ['state']);
  database.sqlite.exec('DELETE FROM checkpoint_values; ALTER TABLE checkpoint_writes RENAME TO gone');
  await expect(saver.getTuple(configOf('a'))).rejects.toThrow('no such table');
  // A rejection that nobody hears would end the test run.
  await new Promise((resolve) => setImmediate(resolve));
});
