import type { Turn } from '@parley/agent';
import type { Part } from '@parley/protocol';

/** Milliseconds, or until the run is aborted. */
export type Pause = (ms: number, signal: AbortSignal | undefined) => Promise<void>;

/** What the agent does in one turn; a text it returns is its answer. */
export type Behaviour = (turn: Turn, pause: Pause) => string | undefined | Promise<string | undefined>;

const FILE = { filename: 'output.txt', mediaType: 'text/plain' };
const file: Part = { ...FILE, raw: Buffer.from('file content\n').toString('base64') };

/** Of the official suite: what a message whose `messageId` begins so asks for. The longest prefix counts. */
const official: { [prefix: string]: Behaviour } = {
  'tck-complete-task': () => 'Hello from TCK',
  'tck-artifact-text': artifact({ text: 'Generated text content' }),
  'tck-artifact-file': artifact(file),
  'tck-artifact-file-url': artifact({ ...FILE, url: 'https://example.com/output.txt' }),
  'tck-artifact-data': artifact({ data: { key: 'value', count: 42 } }),
  'tck-message-response': end('reply', 'Direct message response'),
  'tck-input-required': end('requireInput', 'What else?'),
  'tck-auth-required': end('requireAuth', 'Log in first'),
  'tck-reject-task': end('reject', 'Not for me'),
  'tck-stream-001': artifact({ text: 'Stream hello from TCK' }),
  'tck-stream-002': () => undefined,
  'tck-stream-003': artifact({ text: 'Stream task lifecycle' }),
  'tck-stream-ordering-001': artifact({ text: 'Ordered output' }),
  'tck-stream-artifact-text': artifact({ text: 'Streamed text content' }),
  'tck-stream-artifact-file': artifact(file),
  'tck-stream-artifact-chunked': (turn) => {
    const artifactId = 'chunked';
    turn.artifact({ artifactId, parts: [{ text: 'chunk-1 ' }] });
    turn.artifact({ artifactId, parts: [{ text: 'chunk-2' }], append: true, lastChunk: true });
    return undefined;
  },
  // Twice the time that the suite waits for a stream.
  'test-resubscribe-message-id': later(4_000, 'Done at last'),
  'tck-delayed-complete': later(2_000, 'Done after delay'),
};

/** Ours, for what the official suite does not ask for. */
const own: { [prefix: string]: Behaviour } = {
  'own-throw': () => {
    throw new Error('password=hunter2 at db.internal:5432');
  },
  'own-fail': end('fail', 'Could not do it'),
  'own-show-turn': ({ artifact: show, metadata, extensions, message }) => {
    const references = message?.referenceTaskIds ?? [];
    show({ parts: [{ data: { metadata, extensions, references } }] });
    return undefined;
  },
  // As if every extension that the caller asked for had a part in it.
  'own-extended': ({ artifact: show, requireInput, extensions }) => {
    show({ parts: [{ text: 'extended' }], extensions });
    requireInput({ parts: [{ text: 'What else?' }], extensions });
    return undefined;
  },
  // An artifact, a pause, another: what a subscriber who comes between them has missed is in its snapshot.
  'own-pause': async (turn, pause) => {
    turn.artifact({ artifactId: 'before', parts: [{ text: 'before the pause' }] });
    await pause(1_000, turn.signal);
    turn.artifact({ artifactId: 'after', parts: [{ text: 'after the pause' }] });
    return undefined;
  },
};

const behaviours = new Map(Object.entries({ ...official, ...own }));
const longestFirst = [...behaviours.keys()].sort((a, b) => b.length - a.length);

export function behaviourOf(messageId: string): Behaviour {
  const prefix = longestFirst.find((one) => messageId.startsWith(one));
  return (prefix !== undefined && behaviours.get(prefix)) || (() => 'Done');
}

function artifact(part: Part): Behaviour {
  return (turn) => {
    turn.artifact({ parts: [part], lastChunk: true });
    return undefined;
  };
}

function end(act: 'reply' | 'requireInput' | 'requireAuth' | 'reject' | 'fail', text: string): Behaviour {
  return (turn) => {
    turn[act](text);
    return undefined;
  };
}

function later(ms: number, text: string): Behaviour {
  return async (turn, pause) => {
    await pause(ms, turn.signal);
    return text;
  };
}
