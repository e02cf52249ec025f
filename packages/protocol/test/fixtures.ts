import type { AgentCard, Message, StreamResponse, Task, TaskPushNotificationConfig } from '../src/model.ts';

export const userMessage: Message = {
  messageId: 'm1',
  contextId: 'c',
  role: 'ROLE_USER',
  parts: [
    { text: 'hi', metadata: { lang: 'en' } },
    { raw: 'aGVsbG8=', mediaType: 'text/plain', filename: 'hello.txt' },
    { url: 'https://h/f.pdf', mediaType: 'application/pdf' },
    { data: { a: [1, null, 'x'] } },
    { data: [1, 2] },
  ],
  metadata: { trace_id: 'x' },
  extensions: ['urn:x'],
  referenceTaskIds: ['t0'],
};

export const agentMessage: Message = {
  messageId: 'm2',
  contextId: 'c',
  taskId: 't',
  role: 'ROLE_AGENT',
  parts: [{ text: 'Hello' }],
};

export const completedTask: Task = {
  id: 't',
  contextId: 'c',
  status: { state: 'TASK_STATE_COMPLETED', message: agentMessage, timestamp: '2024-01-01T00:00:00.000Z' },
  artifacts: [
    { artifactId: 'a', name: 'Assistant Response', parts: [{ text: 'Hello' }, { data: { n: 1 } }] },
    {
      artifactId: 'b',
      description: 'file',
      parts: [{ raw: 'AA==', mediaType: 'image/png', filename: 'x.png' }],
    },
  ],
  history: [userMessage, agentMessage],
  metadata: { k: 'v' },
};

const ids = { taskId: 't', contextId: 'c' };

export const streamEvents: StreamResponse[] = [
  {
    task: {
      id: 't',
      contextId: 'c',
      status: { state: 'TASK_STATE_SUBMITTED', timestamp: '2024-01-01T00:00:00.000Z' },
    },
  },
  { statusUpdate: { ...ids, status: { state: 'TASK_STATE_WORKING' }, metadata: { step: 1 } } },
  { artifactUpdate: { ...ids, artifact: { artifactId: 'a', parts: [{ text: 'Hel' }] } } },
  {
    artifactUpdate: {
      ...ids,
      artifact: { artifactId: 'a', parts: [{ text: 'lo' }] },
      append: true,
      lastChunk: true,
    },
  },
  { statusUpdate: { ...ids, status: { state: 'TASK_STATE_COMPLETED', message: agentMessage } } },
];

export const pushConfig: TaskPushNotificationConfig = {
  taskId: 't',
  id: 'p1',
  url: 'https://h/hook',
  token: 'k',
  authentication: { scheme: 'Bearer', credentials: 'z' },
};

export const card: AgentCard = {
  name: 'agent',
  description: 'An agent',
  version: '1.2.3',
  supportedInterfaces: [
    { url: 'https://h/a2a/as1', protocolBinding: 'JSONRPC', protocolVersion: '1.0' },
    { url: 'https://h/a2a/as1/rest', protocolBinding: 'HTTP+JSON', protocolVersion: '1.0' },
    { url: 'h:443', protocolBinding: 'GRPC', tenant: 'as1', protocolVersion: '1.0' },
    { url: 'https://h/a2a/as1/v03', protocolBinding: 'JSONRPC', protocolVersion: '0.3' },
    { url: 'https://h/a2a/as1/rest03', protocolBinding: 'HTTP+JSON', protocolVersion: '0.3' },
  ],
  provider: { url: 'https://o', organization: 'Org' },
  documentationUrl: 'https://docs',
  iconUrl: 'https://icon',
  capabilities: {
    streaming: true,
    pushNotifications: false,
    extendedAgentCard: true,
    extensions: [{ uri: 'urn:x', description: 'X', required: false, params: { values: ['a'] } }],
  },
  securitySchemes: {
    bearer: { httpAuthSecurityScheme: { scheme: 'bearer', bearerFormat: 'JWT' } },
    key: { apiKeySecurityScheme: { location: 'header', name: 'x-api-key', description: 'key' } },
    oauth: {
      oauth2SecurityScheme: {
        flows: {
          authorizationCode: {
            authorizationUrl: 'https://a',
            tokenUrl: 'https://t',
            scopes: { read: 'Read' },
            pkceRequired: true,
          },
        },
        oauth2MetadataUrl: 'https://m',
      },
    },
    oidc: { openIdConnectSecurityScheme: { openIdConnectUrl: 'https://oidc' } },
    mtls: { mtlsSecurityScheme: { description: 'cert' } },
  },
  securityRequirements: [{ schemes: { bearer: {} } }, { schemes: { oauth: { list: ['read'] } } }],
  defaultInputModes: ['text/plain'],
  defaultOutputModes: ['text/plain'],
  skills: [
    {
      id: 's',
      name: 'Skill',
      description: 'does',
      tags: ['t'],
      examples: ['ex'],
      inputModes: ['text/plain'],
      securityRequirements: [{ schemes: { key: { list: [] } } }],
    },
  ],
  signatures: [{ protected: 'p', signature: 's' }],
};
