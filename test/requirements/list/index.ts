import type { Requirement } from '../requirement.ts';
import { cards } from './cards.ts';
import { clients } from './clients.ts';
import { dataModel } from './data-model.ts';
import { errors } from './errors.ts';
import { extensions } from './extensions.ts';
import { history } from './history.ts';
import { jsonRpc } from './json-rpc.ts';
import { multiTurn } from './multi-turn.ts';
import { otherIssues } from './other-issues.ts';
import { send } from './send.ts';
import { stream } from './stream.ts';
import { tasks } from './tasks.ts';
import { versions } from './versions.ts';

export const requirements: readonly Requirement[] = [
  ...send,
  ...stream,
  ...tasks,
  ...multiTurn,
  ...history,
  ...dataModel,
  ...errors,
  ...versions,
  ...extensions,
  ...cards,
  ...jsonRpc,
  ...clients,
  ...otherIssues,
];
