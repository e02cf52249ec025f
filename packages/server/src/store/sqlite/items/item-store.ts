import {
  BaseStore,
  type Item,
  type MatchCondition,
  type Operation,
  type OperationResults,
  type SearchItem,
} from '@langchain/langgraph-checkpoint';
import { matchesFilter } from './filter.ts';
import { type ItemOperation, readOperation } from './operations.ts';
import type { ItemRow, ItemRows } from './rows.ts';
import { type ItemIndex, nearness, vectorOfQuery, vectorsOf } from './vectors.ts';

export interface ItemSettings {
  index?: ItemIndex;
  /** An item that nobody writes for `ms`, or reads if `refreshOnRead`, is forgotten. */
  ttl?: { ms: number; refreshOnRead: boolean };
}

export interface ItemStoreOptions {
  rows: ItemRows;
  settings: ItemSettings;
  /** Milliseconds since 1970. */
  now(): number;
  /** Resolves with what `body` has found, when that is durable. */
  read<T>(body: () => T): Promise<T>;
  /** Resolves when what `body` has written is durable; throws if this store must not write any more. */
  write<T>(body: () => T): Promise<T>;
}

type Get = Extract<ItemOperation, { kind: 'get' }>;
type Search = Extract<ItemOperation, { kind: 'search' }>;
type Put = Extract<ItemOperation, { kind: 'put' }>;
type Namespaces = Extract<ItemOperation, { kind: 'namespaces' }>;

/** What one operation needs of the model. */
interface Embedded {
  operation: ItemOperation;
  query?: Float32Array;
  vectors?: Float32Array[];
}

/**
 * LangGraph's long-term memory on our database: items by namespace and key, shared by all agents and conversations.
 * A batch is one transaction, in which reads see what was there before it.
 */
export class ItemStore extends BaseStore {
  readonly #options: ItemStoreOptions;

  constructor(options: ItemStoreOptions) {
    super();
    this.#options = options;
  }

  async batch<Op extends Operation[]>(operations: Op): Promise<OperationResults<Op>> {
    const plan = await Promise.all(operations.map(readOperation).map((one) => this.#embed(one)));
    const { settings, read, write } = this.#options;
    const writes = plan.some(({ operation: { kind } }) => kind === 'put' || kind === 'delete');
    const reads = plan.some(({ operation: { kind } }) => kind === 'get' || kind === 'search');
    const how = writes || (reads && settings.ttl?.refreshOnRead) ? write : read;
    return (await how(() => {
      const found = plan.map((one) => this.#find(one));
      for (const { operation, vectors } of plan) {
        if (operation.kind === 'put') this.#put(operation, vectors);
        else if (operation.kind === 'delete') this.#options.rows.remove(operation.namespace, operation.key);
      }
      return found;
    })) as OperationResults<Op>;
  }

  async #embed(operation: ItemOperation): Promise<Embedded> {
    const { index } = this.#options.settings;
    if (!index) return { operation };
    if (operation.kind === 'put') {
      return { operation, vectors: await vectorsOf(index, operation.value, operation.index) };
    }
    if (operation.kind !== 'search' || operation.query === undefined) return { operation };
    return { operation, query: await vectorOfQuery(index, operation.query) };
  }

  #find({ operation, query }: Embedded): Item | SearchItem[] | string[][] | null | undefined {
    if (operation.kind === 'get') return this.#get(operation);
    if (operation.kind === 'search') return this.#search(operation, query);
    if (operation.kind === 'namespaces') return this.#namespaces(operation);
    return undefined;
  }

  #get({ namespace, key }: Get): Item | null {
    const { rows, now } = this.#options;
    const row = rows.get(namespace, key, now());
    if (!row) return null;
    this.#refresh([row]);
    return itemOf(row);
  }

  #search(operation: Search, query: Float32Array | undefined): SearchItem[] {
    const found = query ? this.#nearest(operation, query) : this.#newest(operation).map((row) => ({ row }));
    this.#refresh(found.map(({ row }) => row));
    return found.map(({ row, ...scored }) => ({ ...itemOf(row), ...scored }));
  }

  #newest({ namespace, filter, limit, offset }: Search): ItemRow[] {
    const { rows, now } = this.#options;
    if (Object.keys(filter).length === 0) return rows.page(namespace, now(), limit, offset);
    const found: ItemRow[] = [];
    if (limit === 0) return found;
    let passed = 0;
    for (const row of rows.under(namespace, now())) {
      if (!matchesFilter(JSON.parse(row.value), filter as { [key: string]: unknown })) continue;
      if (passed++ < offset) continue;
      if (found.push(row) === limit) break;
    }
    return found;
  }

  /** By cosine, then what has no vector. */
  #nearest(operation: Search, query: Float32Array): { row: ItemRow; score?: number }[] {
    const { namespace, limit, offset } = operation;
    const all = this.#newest({ ...operation, limit: Number.MAX_SAFE_INTEGER, offset: 0 });
    const vectors = this.#options.rows.vectors(namespace);
    const scored = all.map((row) => {
      const score = nearness(query, vectors.get(row.id));
      return { row, ...(score === undefined ? {} : { score }) };
    });
    scored.sort((one, other) => (other.score ?? -2) - (one.score ?? -2));
    return scored.slice(offset, offset + limit);
  }

  #refresh(rows: readonly ItemRow[]): void {
    const { ttl } = this.#options.settings;
    if (!ttl?.refreshOnRead) return;
    const expiresAt = this.#options.now() + ttl.ms;
    for (const { id } of rows) this.#options.rows.setExpiry(id, expiresAt);
  }

  #put({ namespace, key, json }: Put, vectors: readonly Float32Array[] = []): void {
    const { rows, settings } = this.#options;
    const now = this.#options.now();
    const expiresAt = settings.ttl ? now + settings.ttl.ms : null;
    rows.setVectors(rows.put({ namespace, key, value: json, now, expiresAt }), vectors);
  }

  #namespaces({ conditions, maxDepth, limit, offset }: Namespaces): string[][] {
    const all = this.#options.rows
      .namespaces(this.#options.now())
      .map((namespace) => namespace.split('.'))
      .filter((labels) => conditions.every((condition) => matches(condition, labels)));
    const cut = new Map(
      all.map((labels) => labels.slice(0, maxDepth)).map((labels) => [labels.join('.'), labels]),
    );
    return [...cut.values()].slice(offset, offset + limit);
  }
}

function itemOf(row: ItemRow): Item {
  return {
    namespace: row.namespace.split('.'),
    key: row.key,
    value: JSON.parse(row.value),
    createdAt: new Date(row.createdAt),
    updatedAt: new Date(row.updatedAt),
  };
}

function matches({ matchType, path }: MatchCondition, labels: readonly string[]): boolean {
  const from = matchType === 'prefix' ? 0 : labels.length - path.length;
  return (
    from >= 0 &&
    path.every((label, i) => (label === '*' ? from + i < labels.length : label === labels[from + i]))
  );
}
