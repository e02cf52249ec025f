export {
  type A2AErrorKind,
  ERROR_KINDS,
  ERROR_TABLE,
  type ErrorRow,
} from './error-table.ts';
export {
  A2AError,
  type A2AErrorOptions,
  ERROR_DOMAIN,
  errorDetails,
  type FieldViolation,
  internalError,
  invalidParams,
  isA2AError,
} from './errors.ts';
export { EXTENSION_HEADERS, readExtensions } from './extensions.ts';
export { createFold, type Fold } from './fold-log.ts';
export { exceedsDepth } from './json-depth.ts';
export {
  errorEnvelope,
  type JsonRpcError,
  type JsonRpcFault,
  type JsonRpcId,
  type JsonRpcLimits,
  type JsonRpcRequest,
  parseRequest,
  resultEnvelope,
} from './json-rpc.ts';
export { type MisuseCode, ProtocolMisuseError } from './misuse.ts';
export {
  type AgentCapabilities,
  type AgentCard,
  type AgentCardSignature,
  type AgentExtension,
  type AgentInterface,
  type AgentSkill,
  type Artifact,
  type AuthenticationInfo,
  type CancelTaskRequest,
  type CreateTaskPushNotificationConfigRequest,
  type DataPart,
  type DeleteTaskPushNotificationConfigRequest,
  type GetExtendedAgentCardRequest,
  type GetTaskPushNotificationConfigRequest,
  type GetTaskRequest,
  type HistoryScope,
  type JsonObject,
  type JsonValue,
  type ListTaskPushNotificationConfigsRequest,
  type ListTaskPushNotificationConfigsResponse,
  type ListTasksRequest,
  type ListTasksResponse,
  type Message,
  type Part,
  type RawPart,
  type Role,
  type SecurityRequirement,
  type SecurityScheme,
  type SendMessageConfiguration,
  type SendMessageRequest,
  type SendMessageResponse,
  type StreamResponse,
  type SubscribeToTaskRequest,
  TASK_STATES,
  type Task,
  type TaskArtifactUpdateEvent,
  type TaskEvent,
  type TaskPushNotificationConfig,
  type TaskState,
  type TaskStatus,
  type TaskStatusUpdateEvent,
  type TextPart,
  type UrlPart,
} from './model.ts';
export { sameJson } from './same-json.ts';
export { agentCardSchema, securitySchemeSchema } from './schema/card.ts';
export {
  type BadRequest,
  type ErrorEnvelope,
  type ErrorInfo,
  errorEnvelopeSchema,
} from './schema/json-rpc.ts';
export {
  artifactSchema,
  artifactUpdateSchema,
  jsonObjectSchema,
  jsonValueSchema,
  listTasksResponseSchema,
  messageSchema,
  partSchema,
  pushConfigSchema,
  sendMessageResponseSchema,
  statusUpdateSchema,
  streamResponseSchema,
  taskSchema,
  taskStateSchema,
  taskStatusSchema,
  timestampSchema,
} from './schema/task.ts';
export { type SseFields, sseEvent, ssePing, sseRetry } from './sse.ts';
export {
  createSseParser,
  parseSse,
  type SseEvent,
  type SseParser,
  type SseParserOptions,
} from './sse-parser.ts';
export { appendParts, applyEvent } from './task-fold.ts';
export { endsStream, isInterrupted, isStop, isTerminal } from './task-state.ts';
export { formatTimestamp, parseTimestamp } from './timestamp.ts';
export {
  agreeVersion,
  PROTOCOL_VERSIONS,
  type ProtocolVersion,
  parseVersion,
  VERSION_HEADER,
  type VersionSources,
} from './version.ts';
export { normaliseBase64 } from './wire/base64.ts';
export {
  type Codec,
  DEFAULT_DECODE_LIMITS,
  type DecodeLimits,
  type EventOptions,
  type Method,
  type MethodOf,
  type Operation,
  type OperationTypes,
} from './wire/codec.ts';
export { mergedCard } from './wire/merged-card.ts';
