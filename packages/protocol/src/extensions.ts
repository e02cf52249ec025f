/** The two names of the header: v1.0, and what v0.3 clients send. Both are read on both versions. */
export const EXTENSION_HEADERS = ['A2A-Extensions', 'X-A2A-Extensions'] as const;

/** URIs of comma-separated header values, in order of appearance, each once (A2A 1.0, section 3.2.6). */
export function readExtensions(...values: (string | null | undefined)[]): string[] {
  const uris = new Set<string>();
  for (const value of values) {
    if (value === null || value === undefined) continue;
    for (const item of value.split(',')) {
      const uri = item.trim();
      if (uri !== '') uris.add(uri);
    }
  }
  return [...uris];
}
