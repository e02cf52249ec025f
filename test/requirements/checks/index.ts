import type { Checks } from '../check.ts';
import { cards } from './cards.ts';
import { clients } from './clients.ts';
import { dataModel } from './data-model.ts';
import { errors } from './errors.ts';
import { extensions } from './extensions.ts';
import { history } from './history.ts';
import { jsonRpc } from './json-rpc.ts';
import { listTasks } from './list-tasks.ts';
import { multiTurn } from './multi-turn.ts';
import { requestFields } from './request-fields.ts';
import { send } from './send.ts';
import { stream } from './stream.ts';
import { subscriptions } from './subscribe.ts';
import { tasks } from './tasks.ts';
import { versions } from './versions.ts';

/** By topic; the ids of two topics are never the same (requirements.test.ts). */
export const topics: readonly Checks[] = [
  send,
  stream,
  subscriptions,
  tasks,
  listTasks,
  multiTurn,
  history,
  dataModel,
  requestFields,
  errors,
  versions,
  extensions,
  cards,
  jsonRpc,
  clients,
];
