/**
 * The texts that a path of an index means in an item's value: `$` is all of it, `a.b` a member, `a[*].b` of each element,
 * `a[0]` and `a[-1]` of one (LangGraph, `IndexConfig.fields`). An object is its JSON.
 */
export function textsAt(value: unknown, path: string): string[] {
  let found: unknown[] = [value];
  for (const step of path.match(/\[[^\]]*\]|[^.[]+/g) ?? []) {
    if (step !== '$') found = found.flatMap((one) => membersAt(one, step));
  }
  return found.flatMap((one) => {
    if (one === null || one === undefined) return [];
    return typeof one === 'object' ? [JSON.stringify(one, null, 2)] : [String(one)];
  });
}

function membersAt(value: unknown, step: string): unknown[] {
  if (typeof value !== 'object' || value === null) return [];
  const index = /^\[(.*)\]$/.exec(step)?.[1];
  if (index === undefined && step !== '*') {
    return Object.hasOwn(value, step) ? [(value as { [key: string]: unknown })[step]] : [];
  }
  if (index === undefined || index === '*') return Object.values(value);
  return Array.isArray(value) && /^-?\d+$/.test(index) ? [value.at(Number(index))] : [];
}
