import {
  type GetOperation,
  InvalidNamespaceError,
  type ListNamespacesOperation,
  type MatchCondition,
  type Operation,
  type PutOperation,
  type SearchOperation,
  validateNamespace,
} from '@langchain/langgraph-checkpoint';

/** An operation of `BaseStore.batch`, checked. A namespace is its labels with dots between. */
export type ItemOperation =
  | { kind: 'get'; namespace: string; key: string }
  | { kind: 'search'; namespace: string; filter: object; limit: number; offset: number; query?: string }
  | { kind: 'put'; namespace: string; key: string; value: object; json: string; index?: false | string[] }
  | { kind: 'delete'; namespace: string; key: string }
  | { kind: 'namespaces'; conditions: MatchCondition[]; maxDepth?: number; limit: number; offset: number };

/** Throws `TypeError` or LangGraph's `InvalidNamespaceError`, which names the label. */
export function readOperation(operation: Operation): ItemOperation {
  if ('namespacePrefix' in operation) return readSearch(operation);
  if ('value' in operation) return readPut(operation);
  if ('key' in operation) return { kind: 'get', ...readPlace(operation) };
  return readNamespaces(operation as ListNamespacesOperation);
}

function readPlace({ namespace, key }: GetOperation): { namespace: string; key: string } {
  if (typeof key !== 'string') throw new TypeError(`key: expected a string, got ${typeof key}`);
  return { namespace: readNamespace(namespace, false), key };
}

function readSearch({ namespacePrefix, filter, limit, offset, query }: SearchOperation): ItemOperation {
  return {
    kind: 'search',
    namespace: readNamespace(namespacePrefix, true),
    filter: filter ?? {},
    ...readPage({ limit, offset }, 10),
    ...(query ? { query } : {}),
  };
}

function readPut(operation: PutOperation): ItemOperation {
  const place = readPlace(operation);
  const { value, index } = operation;
  if (value === null) return { kind: 'delete', ...place };
  const where = `the value of '${place.key}' in '${place.namespace}'`;
  if (typeof value !== 'object' || Array.isArray(value)) {
    throw new TypeError(
      `${where}: expected an object, got ${Array.isArray(value) ? 'an array' : typeof value}`,
    );
  }
  return {
    kind: 'put',
    ...place,
    value,
    json: jsonOf(value, where),
    ...(index === undefined || index === null ? {} : { index }),
  };
}

function readNamespaces({
  matchConditions,
  maxDepth,
  limit,
  offset,
}: ListNamespacesOperation): ItemOperation {
  return {
    kind: 'namespaces',
    conditions: matchConditions ?? [],
    ...(maxDepth === undefined ? {} : { maxDepth }),
    ...readPage({ limit, offset }, Number.MAX_SAFE_INTEGER),
  };
}

function readNamespace(labels: string[], allowEmpty: boolean): string {
  if (!Array.isArray(labels))
    throw new InvalidNamespaceError(`Expected a list of labels, got ${typeof labels}.`);
  validateNamespace(labels, { allowEmpty, allowReservedRoot: true });
  return labels.join('.');
}

function readPage(
  asked: { limit: number | undefined; offset: number | undefined },
  most: number,
): { limit: number; offset: number } {
  const page = { limit: asked.limit ?? most, offset: asked.offset ?? 0 };
  for (const [name, value] of Object.entries(page)) {
    if (!Number.isSafeInteger(value) || value < 0)
      throw new TypeError(`${name}: expected a whole number from 0 on`);
  }
  return page;
}

function jsonOf(value: object, where: string): string {
  try {
    return JSON.stringify(value);
  } catch (cause) {
    throw new TypeError(`${where} is no JSON: ${(cause as Error).message}`, { cause });
  }
}
