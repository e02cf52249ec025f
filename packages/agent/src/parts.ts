import type { JsonValue, Part } from '@parley/protocol';

/** A file of a message, as the `a2aFiles` channel and `turn.files` hold it. `bytes` is base64. */
export interface FileRef {
  name?: string;
  mimeType?: string;
  uri?: string;
  bytes?: string;
}

/** All text parts joined with nothing between. */
export function textOf(parts: readonly Part[]): string {
  return parts.map((part) => ('text' in part ? part.text : '')).join('');
}

export function dataOf(parts: readonly Part[]): JsonValue[] {
  return parts.flatMap((part) => ('data' in part ? [part.data] : []));
}

export function filesOf(parts: readonly Part[]): FileRef[] {
  return parts.flatMap((part) => {
    if (!('raw' in part) && !('url' in part)) return [];
    const content = 'raw' in part ? { bytes: part.raw } : { uri: part.url };
    return [
      {
        ...(part.filename === undefined ? {} : { name: part.filename }),
        ...(part.mediaType === undefined ? {} : { mimeType: part.mediaType }),
        ...content,
      },
    ];
  });
}
