import type { Fields } from '../../wire/rpc.ts';
import type { Wire } from './wire.ts';

/** A translation of its own: the codec of the server would agree with itself. */
export const wireV0_3: Wire = {
  version: '0.3',
  methods: {
    SendMessage: 'message/send',
    SendStreamingMessage: 'message/stream',
    GetTask: 'tasks/get',
    CancelTask: 'tasks/cancel',
    SubscribeToTask: 'tasks/resubscribe',
    GetExtendedAgentCard: 'agent/getAuthenticatedExtendedCard',
    CreateTaskPushNotificationConfig: 'tasks/pushNotificationConfig/set',
    GetTaskPushNotificationConfig: 'tasks/pushNotificationConfig/get',
    ListTaskPushNotificationConfigs: 'tasks/pushNotificationConfig/list',
    DeleteTaskPushNotificationConfig: 'tasks/pushNotificationConfig/delete',
  },
  writeParams: (operation, params) => {
    if (operation.includes('PushNotification')) return writePush(params);
    const { message, configuration, ...rest } = params;
    return {
      ...rest,
      ...(message ? { message: writeMessage(message) } : {}),
      ...(configuration ? { configuration: writeConfiguration(configuration) } : {}),
    };
  },
  readResult: (operation, result) => {
    if (operation === 'GetTask' || operation === 'CancelTask') return readTask(result);
    switch (result.kind) {
      case 'task':
        return { task: readTask(result) };
      case 'message':
        return { message: readMessage(result) };
      case 'status-update': {
        const { kind: _, final, status, ...rest } = result;
        return { statusUpdate: { ...rest, status: readStatus(status) }, final };
      }
      default: {
        const { kind: _, artifact, ...rest } = result;
        return { artifactUpdate: { ...rest, artifact: readArtifact(artifact) } };
      }
    }
  },
};

function writeMessage({ role, parts, ...rest }: Fields): Fields {
  return {
    kind: 'message',
    ...rest,
    ...(role === undefined ? {} : { role: role === 'ROLE_USER' ? 'user' : role }),
    ...(parts === undefined ? {} : { parts: parts.map(writePart) }),
  };
}

function writePart({ text, data, raw, url, filename, mediaType, metadata }: Fields): Fields {
  const more = metadata ? { metadata } : {};
  if (text !== undefined) return { kind: 'text', text, ...more };
  if (data !== undefined) return { kind: 'data', data, ...more };
  const names = {
    ...(filename === undefined ? {} : { name: filename }),
    ...(mediaType === undefined ? {} : { mimeType: mediaType }),
  };
  return {
    kind: 'file',
    file: { ...(raw === undefined ? { uri: url } : { bytes: raw }), ...names },
    ...more,
  };
}

function writeConfiguration({ returnImmediately, ...rest }: Fields): Fields {
  return { ...rest, ...(returnImmediately === undefined ? {} : { blocking: !returnImmediately }) };
}

/** The reference of a task is `id` here, that of a configuration has a longer name. */
function writePush({ taskId, id, url }: Fields): Fields {
  if (url !== undefined) return { taskId, pushNotificationConfig: { url, ...(id ? { id } : {}) } };
  return { id: taskId, ...(id === undefined ? {} : { pushNotificationConfigId: id }) };
}

function readTask({ kind: _, status, artifacts, history, ...rest }: Fields): Fields {
  return {
    ...rest,
    status: readStatus(status),
    ...(artifacts ? { artifacts: artifacts.map(readArtifact) } : {}),
    ...(history ? { history: history.map(readMessage) } : {}),
  };
}

function readStatus({ state, message, ...rest }: Fields): Fields {
  return {
    state: `TASK_STATE_${state.toUpperCase().replaceAll('-', '_')}`,
    ...(message ? { message: readMessage(message) } : {}),
    ...rest,
  };
}

function readMessage({ kind: _, role, parts, ...rest }: Fields): Fields {
  return { ...rest, role: `ROLE_${role.toUpperCase()}`, parts: parts.map(readPart) };
}

function readArtifact({ parts, ...rest }: Fields): Fields {
  return { ...rest, parts: parts.map(readPart) };
}

function readPart({ kind: _, file, ...rest }: Fields): Fields {
  if (!file) return rest;
  const { bytes, uri, name, mimeType } = file;
  return {
    ...(bytes === undefined ? { url: uri } : { raw: bytes }),
    ...(name === undefined ? {} : { filename: name }),
    ...(mimeType === undefined ? {} : { mediaType: mimeType }),
    ...rest,
  };
}
