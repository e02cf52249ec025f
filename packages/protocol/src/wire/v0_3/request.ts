/** Requests of A2A 0.3 to the model. */

import type {
  AuthenticationInfo,
  JsonObject,
  JsonValue,
  Message,
  Part,
  Role,
  SendMessageRequest,
  TaskPushNotificationConfig,
} from '../../model.ts';
import { normaliseBase64 } from '../base64.ts';
import type { DecodeLimits } from '../codec.ts';
import {
  assign,
  type Cursor,
  enter,
  fault,
  faultHere,
  isObject,
  readBoolean,
  readObject,
  readString,
  readStrings,
  readValue,
  requireString,
} from '../reader.ts';
import { readMessage as readAnyMessage, readConfiguration } from '../request-fields.ts';
import { isA2ui, WRAPPED } from './data-part.ts';

function readRole(at: Cursor): Role | undefined {
  const role = readValue(at, 'role');
  if (role === 'user') return 'ROLE_USER';
  return role === 'agent' ? 'ROLE_AGENT' : fault(at, 'role', 'Must be user or agent');
}

const KINDS = ['text', 'file', 'data'] as const;

/** Some clients leave `kind` out; the content then tells. */
function readKind(at: Cursor): (typeof KINDS)[number] | undefined {
  const kind = readValue(at, 'kind');
  if (kind === undefined) {
    const present = KINDS.filter((name) => readValue(at, name) !== undefined);
    return present.length === 1
      ? present[0]
      : faultHere(at, 'A kind, or exactly one of text, file and data, is required');
  }
  return KINDS.find((name) => name === kind) ?? fault(at, 'kind', 'Must be text, file or data');
}

function readText(at: Cursor): Part | undefined {
  const text = readValue(at, 'text');
  return typeof text === 'string' ? { text } : fault(at, 'text', 'A string is required');
}

function readFile(at: Cursor): Part | undefined {
  const file = enter(at, 'file');
  if (file === undefined)
    return readValue(at, 'file') === undefined ? fault(at, 'file', 'A file is required') : undefined;
  const names = { filename: readString(file, 'name'), mediaType: readString(file, 'mimeType') };
  const bytes = readValue(file, 'bytes');
  const uri = readValue(file, 'uri');
  if ((bytes === undefined) === (uri === undefined))
    return faultHere(file, 'Exactly one of bytes and uri is required');
  if (uri !== undefined) {
    return typeof uri === 'string' && uri !== ''
      ? assign<Part>({ url: uri }, names)
      : fault(file, 'uri', 'Must be a non-empty string');
  }
  const raw = typeof bytes === 'string' ? normaliseBase64(bytes) : undefined;
  return raw === undefined ? fault(file, 'bytes', 'Must be base64') : assign<Part>({ raw }, names);
}

/** Any JSON: 0.3 says an object, A2UI sends lists. */
function readData(at: Cursor): Part | undefined {
  const data = readValue(at, 'data');
  if (data === undefined) return fault(at, 'data', 'Data is required');
  const mediaType = readString(at, 'mediaType') ?? readString(at, 'mimeType');
  return assign<Part>({ data: data as JsonValue }, { mediaType });
}

/** Undoes the wrapping that translators between the versions put around data that is no object. */
function unwrap(part: Part, metadata: JsonObject | undefined): Part {
  if (!('data' in part) || metadata?.[WRAPPED] !== true || isA2ui({ ...part, metadata })) {
    return metadata === undefined ? part : { ...part, metadata };
  }
  const { [WRAPPED]: _, ...rest } = metadata;
  const { data } = part;
  return {
    ...part,
    data: isObject(data) && Object.hasOwn(data, 'value') ? (data.value as JsonValue) : data,
    ...(Object.keys(rest).length === 0 ? {} : { metadata: rest }),
  };
}

const READERS = { text: readText, file: readFile, data: readData };

function readPart(at: Cursor): Part | undefined {
  const kind = readKind(at);
  const part = kind && READERS[kind](at);
  const metadata = readObject(at, 'metadata');
  return part && unwrap(part, metadata);
}

function readMessage(at: Cursor, { maxParts }: DecodeLimits): Message | undefined {
  const kind = readValue(at, 'kind');
  if (kind !== undefined && kind !== 'message') fault(at, 'kind', 'Must be message');
  return readAnyMessage(at, { maxParts, readRole, readPart });
}

/** A2A 1.0 has one scheme; of several the first is kept. */
function readAuthentication(at: Cursor): AuthenticationInfo | undefined {
  const [scheme] = readStrings(at, 'schemes') ?? [];
  const credentials = readString(at, 'credentials');
  return scheme === undefined ? undefined : assign<AuthenticationInfo>({ scheme }, { credentials });
}

export function readPushConfig(at: Cursor): TaskPushNotificationConfig | undefined {
  const url = requireString(at, 'url');
  const authentication = enter(at, 'authentication');
  const optional = {
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
  const push = options && enter(options, 'pushNotificationConfig');
  const configuration =
    options &&
    assign(readConfiguration(options, streams), {
      returnImmediately: readBoolean(options, 'blocking') === false || undefined,
      taskPushNotificationConfig: push && readPushConfig(push),
    });
  const optional = {
    configuration,
    metadata: readObject(at, 'metadata'),
    command: within && readObject(within, 'command'),
    context: readObject(at, 'context'),
  };
  return message && assign<SendMessageRequest>({ message }, optional);
}
