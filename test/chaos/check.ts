import { isDeepStrictEqual } from 'node:util';
import { isTerminal, type TaskEvent } from '@parley/protocol';
import type { Fields } from '../wire/rpc.ts';
import type { Seen } from './patient-client.ts';
import type { StoredTask } from './read-database.ts';
import type { Told } from './stories.ts';

const statesIn = (events: TaskEvent[]): string[] =>
  events.flatMap((event) => ('statusUpdate' in event ? [event.statusUpdate.status.state] : []));

/** What holds of every log. */
export function checkLog({ taskId, state, seqs, events, messages }: StoredTask): string[] {
  const states = statesIn(events);
  const ended = states.filter((one) => isTerminal(one as never));
  const last = events.at(-1);
  const whole = events.filter((event) => 'artifactUpdate' in event && !event.artifactUpdate.append);
  const said = messages.filter(({ role }) => role === 'ROLE_AGENT').map(textOf);
  return faults(taskId, {
    'its log has a gap': seqs.some((seq, index) => seq !== index + 1),
    'its log does not begin with it': !events[0] || !('task' in events[0]),
    'it has not ended': !isTerminal(state as never),
    'it has ended more than once': ended.length > 1,
    'something follows its end':
      ended.length === 1 && !(last && 'statusUpdate' in last && states.at(-1) === ended[0]),
    [`its agent has said something twice: ${said}`]: new Set(said).size < said.length,
    'it has an artifact twice': new Set(whole.map((event) => JSON.stringify(event))).size < whole.length,
    'its row says another state': ended[0] !== state,
  });
}

/** What the server says of a task in the end. */
export interface Answer {
  task: Fields;
  /** Its log, as a stream. */
  replay: Seen[];
  /** The same after the event `from`. */
  from: number;
  rest: Seen[];
}

/** What holds of a task beyond that: as its caller was told, and as it is answered now. */
export function checkTold(told: Told, stored: StoredTask, { task, replay, from, rest }: Answer): string[] {
  const { taskId } = told;
  const said = JSON.stringify((task.artifacts ?? []).map(textOf).sort());
  const asked = statesIn(stored.events).filter((state) => state === 'TASK_STATE_INPUT_REQUIRED').length;
  const heard = stored.messages.filter(({ role }) => role === 'ROLE_USER').length;
  const published = stored.seqs.filter((_, index) => !('history' in (stored.events[index] ?? {})));
  return [
    ...faults(taskId, {
      [`it is ${task.status.state} and not ${told.state}`]: task.status.state !== told.state,
      [`${said} is not what it should say`]: said !== JSON.stringify([...told.texts].sort()),
      [`it has asked ${asked} times and not ${told.pauses}`]: asked !== told.pauses,
      [`it has ${heard} messages and not ${told.messages}`]: heard !== told.messages,
      'its replay is not its log': !isDeepStrictEqual(
        replay.map(({ id }) => id),
        published,
      ),
      [`its replay after ${from} is not the rest of it`]: !isDeepStrictEqual(
        rest,
        replay.filter(({ id }) => id > from),
      ),
    }),
    ...told.seen.flatMap((seen) => checkSeen(taskId, seen, replay)),
  ];
}

/** A reader has seen the log from where it began: nothing left out, nothing twice, nothing else. */
function checkSeen(taskId: string, seen: Seen[], replay: Seen[]): string[] {
  const [first] = seen;
  if (!first) return [`${taskId}: its reader has seen nothing`];
  const log = replay.filter(({ id }) => id >= first.id);
  // A reader that joined late was shown the task as it was.
  const compared = first.result.task && first.id > 1 ? seen.slice(1) : seen;
  const expected = first.result.task && first.id > 1 ? log.filter(({ id }) => id > first.id) : log;
  const different = compared.findIndex((one, n) => JSON.stringify(one) !== JSON.stringify(expected[n]));
  return faults(taskId, {
    [`its reader saw ${compared.length} frames, the log has ${expected.length}`]:
      compared.length !== expected.length,
    [`frame ${different} was ${JSON.stringify(compared[different])} and is ${JSON.stringify(expected[different])}`]:
      different >= 0,
  });
}

function textOf({ parts }: Fields): string {
  return parts.map(({ text = '' }: Fields) => text).join('');
}

function faults(taskId: string, found: { [fault: string]: boolean }): string[] {
  return Object.entries(found).flatMap(([fault, is]) => (is ? [`${taskId}: ${fault}`] : []));
}
