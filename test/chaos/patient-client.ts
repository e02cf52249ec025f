import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { isTerminal, type TaskState } from '@parley/protocol';
import { type Fields, framesOf } from '../wire/rpc.ts';

/** A frame as a reader saw it, over however many connections. */
export interface Seen {
  id: number;
  result: Fields;
}

export interface PatientClient {
  send(graphId: string, parts: unknown[], target?: Fields, configuration?: Fields): Promise<Fields>;
  /** A streamed send, followed to its end or to a question. */
  stream(graphId: string, parts: unknown[], target?: Fields): Promise<Seen[]>;
  /** What happens to a task after an event, followed to its end. */
  watch(graphId: string, id: string, after: number): Promise<Seen[]>;
  call(graphId: string, method: string, params: Fields): Promise<Fields>;
  /** Frames and answers that have come so far. */
  heard(): number;
}

const RETRY_MS = 40;
/** How often a reader leaves after a frame, and a request is given up and sent again. */
const HANG_UP = 0.05;
const GIVE_UP = 0.1;

/** An error that the server has answered with. */
class Refused extends Error {
  readonly code: number;
  constructor(code: number, message: string) {
    super(message);
    this.code = code;
  }
}

/**
 * Goes on asking while its server is away, as a good client does: the same message, under one Idempotency-Key if there
 * is no task yet, and from the last event on. Now and then it hangs up in the middle of a stream, or of a request.
 */
export function patientClient(url: string, signal: AbortSignal, random: () => number): PatientClient {
  let heard = 0;
  const attempt = async (
    graphId: string,
    method: string,
    params: Fields,
    headers: Fields,
  ): Promise<Response> => {
    const impatience = random() < GIVE_UP ? AbortSignal.timeout(random() * 50) : undefined;
    const response = await fetch(`${url}/a2a/${graphId}`, {
      method: 'POST',
      ...(impatience ? { signal: impatience } : {}),
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
    });
    if (response.status === 503) throw new TypeError('not now');
    return response;
  };
  /** Until `body` has had its answer; what the server says is final. */
  const insist = async <T>(body: () => Promise<T>): Promise<T> => {
    for (;;) {
      try {
        return await body();
      } catch (error) {
        if (error instanceof Refused || signal.aborted) throw error;
        await sleep(RETRY_MS);
      }
    }
  };
  const answerOf = async (response: Response): Promise<Fields> => {
    const { error, result } = (await response.json()) as Fields;
    heard++;
    if (error) throw new Refused(error.code, error.message);
    return result;
  };
  const call = (graphId: string, method: string, params: Fields, headers: Fields = {}): Promise<Fields> =>
    insist(async () => answerOf(await attempt(graphId, method, params, headers)));
  const messageOf = (parts: unknown[], target: Fields): Fields => ({
    message: { messageId: randomUUID(), role: 'ROLE_USER', parts, ...target },
  });
  const follow = (seen: Seen[], open: () => Promise<Response>): Promise<Seen[]> =>
    insist(async () => {
      const response = await open();
      if (!response.headers.get('content-type')?.startsWith('text/event-stream')) await answerOf(response);
      for await (const { id, data } of framesOf(response)) {
        if (data.error) throw new TypeError('broken off');
        seen.push({ id: Number(id), result: data.result });
        heard++;
        if (random() < HANG_UP) throw new TypeError('hung up');
      }
      // A stream that ends without a reason is one that the server broke off.
      if (!rests(seen.at(-1))) throw new TypeError('broken off');
      return seen;
    });
  const subscribe = (graphId: string, id: string, after: number): Promise<Response> =>
    attempt(graphId, 'SubscribeToTask', { id }, { 'last-event-id': String(after) });

  return {
    heard: () => heard,
    call,
    send: async (graphId, parts, target = {}, configuration = {}) => {
      const params = { ...messageOf(parts, target), configuration };
      const key = target.taskId === undefined ? { 'idempotency-key': randomUUID() } : {};
      return (await call(graphId, 'SendMessage', params, key)).task;
    },
    stream: (graphId, parts, target = {}) => {
      const params = messageOf(parts, target);
      const key = { 'idempotency-key': randomUUID() };
      const seen: Seen[] = [];
      return follow(seen, () => {
        const last = seen.at(-1);
        const id = seen[0]?.result.task?.id;
        if (last && id) return subscribe(graphId, id, last.id);
        return attempt(graphId, 'SendStreamingMessage', params, key);
      });
    },
    watch: (graphId, id, after) => {
      const seen: Seen[] = [];
      return follow(seen, () => subscribe(graphId, id, seen.at(-1)?.id ?? after));
    },
  };
}

/** It has ended, or asks its caller something. */
function rests(seen: Seen | undefined): boolean {
  const state: TaskState | undefined = (seen?.result.task ?? seen?.result.statusUpdate)?.status.state;
  return state !== undefined && (isTerminal(state) || state === 'TASK_STATE_INPUT_REQUIRED');
}
