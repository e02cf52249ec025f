/** Requests of A2A 1.0 (a2a.proto in its ProtoJSON form) to the model. */

import {
  type AuthenticationInfo,
  type JsonValue,
  type Message,
  type Part,
  type Role,
  type SendMessageRequest,
  TASK_STATES,
  type TaskPushNotificationConfig,
  type TaskState,
} from '../../model.ts';
import { normaliseBase64 } from '../base64.ts';
import type { DecodeLimits } from '../codec.ts';
import {
  assign,
  type Cursor,
  enter,
  fault,
  faultHere,
  readBoolean,
  readObject,
  readString,
  readValue,
  requireString,
} from '../reader.ts';
import { readMessage as readAnyMessage, readConfiguration } from '../request-fields.ts';

/** By number, as the proto has them. */
const ROLES: readonly (Role | undefined)[] = [undefined, 'ROLE_USER', 'ROLE_AGENT'];

function readRole(at: Cursor): Role | undefined {
  const value = readValue(at, 'role');
  const role = typeof value === 'number' ? ROLES[value] : ROLES.find((name) => name === value);
  return role ?? fault(at, 'role', 'Must be ROLE_USER or ROLE_AGENT');
}

export function readTaskState(at: Cursor, field: string): TaskState | undefined {
  const value = readValue(at, field);
  if (value === undefined || value === 'TASK_STATE_UNSPECIFIED' || value === 0) return undefined;
  const state =
    typeof value === 'number' ? TASK_STATES[value - 1] : TASK_STATES.find((name) => name === value);
  return state ?? fault(at, field, 'Unknown task state');
}

const set = (value: unknown): boolean => value !== undefined && value !== null;

function readContent(at: Cursor): Part | undefined {
  const { text, raw, url, data } = at.source;
  const contents = Number(set(text)) + Number(set(raw)) + Number(set(url)) + Number(set(data));
  // `data: null` is the JSON value null where nothing else is set, and an unset field where something is.
  if (contents === 0 && data === null) return { data: null };
  if (contents !== 1) return faultHere(at, 'Exactly one of text, raw, url and data is required');
  if (set(data)) return { data: data as JsonValue };
  if (set(text)) return typeof text === 'string' ? { text } : fault(at, 'text', 'Must be a string');
  if (set(url))
    return typeof url === 'string' && url !== '' ? { url } : fault(at, 'url', 'Must be a non-empty string');
  const bytes = typeof raw === 'string' ? normaliseBase64(raw) : undefined;
  return bytes === undefined ? fault(at, 'raw', 'Must be base64') : { raw: bytes };
}

export function readPart(at: Cursor): Part | undefined {
  const part = readContent(at);
  const optional = {
    metadata: readObject(at, 'metadata'),
    filename: readString(at, 'filename'),
    mediaType: readString(at, 'mediaType'),
  };
  return part && assign(part, optional);
}

export function readMessage(at: Cursor, { maxParts }: DecodeLimits): Message | undefined {
  return readAnyMessage(at, { maxParts, readRole, readPart });
}

function readAuthentication(at: Cursor): AuthenticationInfo | undefined {
  const scheme = requireString(at, 'scheme');
  const credentials = readString(at, 'credentials');
  return scheme === undefined ? undefined : assign<AuthenticationInfo>({ scheme }, { credentials });
}

export function readPushConfig(at: Cursor): TaskPushNotificationConfig | undefined {
  const url = requireString(at, 'url');
  const authentication = enter(at, 'authentication');
  const optional = {
    taskId: readString(at, 'taskId'),
    id: readString(at, 'id'),
    token: readString(at, 'token'),
    authentication: authentication && readAuthentication(authentication),
  };
  return url === undefined ? undefined : assign<TaskPushNotificationConfig>({ url }, optional);
}

export function readSendMessage(
  at: Cursor,
  limits: DecodeLimits,
  streams: boolean,
): SendMessageRequest | undefined {
  const within = enter(at, 'message');
  if (within === undefined && readValue(at, 'message') === undefined)
    fault(at, 'message', 'A message is required');
  const message = within && readMessage(within, limits);
  const options = enter(at, 'configuration');
  const push = options && enter(options, 'taskPushNotificationConfig');
  const configuration =
    options &&
    assign(readConfiguration(options, streams), {
      returnImmediately: readBoolean(options, 'returnImmediately'),
      taskPushNotificationConfig: push && readPushConfig(push),
    });
  const optional = { tenant: readString(at, 'tenant'), configuration, metadata: readObject(at, 'metadata') };
  return message && assign<SendMessageRequest>({ message }, optional);
}
