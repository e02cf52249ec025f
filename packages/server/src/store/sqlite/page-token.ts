import { hash } from 'node:crypto';
import { invalidParams } from '@parley/protocol';
import type { TaskFilter } from '../../engine/ports/store.ts';

/** Where the next page begins: behind this task. */
export interface PageCursor {
  /** Milliseconds since 1970. */
  statusAt: number;
  taskId: string;
}

export function writePageToken(cursor: PageCursor, filter: TaskFilter): string {
  const { statusAt, taskId } = cursor;
  return Buffer.from(JSON.stringify([statusAt, taskId, fingerprint(filter)])).toString('base64url');
}

/** Throws `invalid-params` for `pageToken` if the token is not one of ours, or of a list with another filter. */
export function readPageToken(token: string, filter: TaskFilter): PageCursor {
  const [statusAt, taskId, of] = fieldsOf(token);
  if (typeof statusAt !== 'number' || typeof taskId !== 'string' || typeof of !== 'string') {
    throw invalidParams('pageToken', 'pageToken is not one that this server gave out');
  }
  if (of !== fingerprint(filter)) {
    throw invalidParams('pageToken', 'pageToken belongs to a list with another filter');
  }
  return { statusAt, taskId };
}

function fieldsOf(token: string): unknown[] {
  try {
    const fields: unknown = JSON.parse(Buffer.from(token, 'base64url').toString());
    return Array.isArray(fields) ? fields : [];
  } catch {
    return [];
  }
}

function fingerprint({ owner, assistantId, contextId, state, statusAfter }: TaskFilter): string {
  const filter = JSON.stringify([owner, assistantId, contextId ?? null, state ?? null, statusAfter ?? null]);
  return hash('sha256', filter, 'base64url').slice(0, 16);
}
