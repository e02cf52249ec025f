/** The A2A 1.0 data model as plain ProtoJSON objects (a2a.proto, package lf.a2a.v1). Internal and v1.0 wire form alike. */

export type JsonValue = null | boolean | number | string | JsonValue[] | { [key: string]: JsonValue };
export type JsonObject = { [key: string]: JsonValue };

export const TASK_STATES = [
  'TASK_STATE_SUBMITTED',
  'TASK_STATE_WORKING',
  'TASK_STATE_COMPLETED',
  'TASK_STATE_FAILED',
  'TASK_STATE_CANCELED',
  'TASK_STATE_INPUT_REQUIRED',
  'TASK_STATE_REJECTED',
  'TASK_STATE_AUTH_REQUIRED',
] as const;
export type TaskState = (typeof TASK_STATES)[number];

export type Role = 'ROLE_USER' | 'ROLE_AGENT';

interface PartBase {
  metadata?: JsonObject;
  filename?: string;
  mediaType?: string;
}
export interface TextPart extends PartBase {
  text: string;
}
/** `raw` is standard base64. */
export interface RawPart extends PartBase {
  raw: string;
}
export interface UrlPart extends PartBase {
  url: string;
}
export interface DataPart extends PartBase {
  data: JsonValue;
}
/** Exactly one of `text`, `raw`, `url`, `data` is present. */
export type Part = TextPart | RawPart | UrlPart | DataPart;

export interface Message {
  messageId: string;
  contextId?: string;
  taskId?: string;
  role: Role;
  parts: Part[];
  metadata?: JsonObject;
  extensions?: string[];
  referenceTaskIds?: string[];
}

export interface Artifact {
  artifactId: string;
  name?: string;
  description?: string;
  parts: Part[];
  metadata?: JsonObject;
  extensions?: string[];
}

export interface TaskStatus {
  state: TaskState;
  message?: Message;
  /** `YYYY-MM-DDTHH:mm:ss.sssZ` */
  timestamp?: string;
}

export interface Task {
  id: string;
  contextId: string;
  status: TaskStatus;
  artifacts?: Artifact[];
  history?: Message[];
  metadata?: JsonObject;
}

export interface TaskStatusUpdateEvent {
  taskId: string;
  contextId: string;
  status: TaskStatus;
  metadata?: JsonObject;
}

export interface TaskArtifactUpdateEvent {
  taskId: string;
  contextId: string;
  artifact: Artifact;
  append?: boolean;
  lastChunk?: boolean;
  metadata?: JsonObject;
}

/** What goes out on a stream (a2a.proto StreamResponse). */
export type StreamResponse =
  | { task: Task }
  | { message: Message }
  | { statusUpdate: TaskStatusUpdateEvent }
  | { artifactUpdate: TaskArtifactUpdateEvent };

/**
 * One entry of a task's event log. The first is the Task as submitted; a `history` entry adds a message to the
 * task's history and has no form on a stream.
 */
export type TaskEvent =
  | { task: Task }
  | { history: Message }
  | { statusUpdate: TaskStatusUpdateEvent }
  | { artifactUpdate: TaskArtifactUpdateEvent };

export type SendMessageResponse = { task: Task } | { message: Message };

export type HistoryScope = 'context' | 'task';

export interface AuthenticationInfo {
  scheme: string;
  credentials?: string;
}

export interface TaskPushNotificationConfig {
  taskId?: string;
  id?: string;
  url: string;
  token?: string;
  authentication?: AuthenticationInfo;
}

export interface SendMessageConfiguration {
  acceptedOutputModes?: string[];
  historyLength?: number;
  historyScope?: HistoryScope;
  returnImmediately?: boolean;
  taskPushNotificationConfig?: TaskPushNotificationConfig;
}

export interface SendMessageRequest {
  tenant?: string;
  message: Message;
  configuration?: SendMessageConfiguration;
  metadata?: JsonObject;
  /**
   * What `message.command` of a v0.3 request carried (LangGraph clients send their answer to an interrupt there).
   * Not part of A2A.
   */
  command?: JsonObject;
  /** What `params.context` of a v0.3 request carried. Not part of A2A. */
  context?: JsonObject;
}

export interface GetTaskRequest {
  tenant?: string;
  id: string;
  historyLength?: number;
  historyScope?: HistoryScope;
}

export interface ListTasksRequest {
  tenant?: string;
  contextId?: string;
  status?: TaskState;
  pageSize?: number;
  pageToken?: string;
  historyLength?: number;
  historyScope?: HistoryScope;
  /** RFC 3339; tasks whose status is at least that young. */
  statusTimestampAfter?: string;
  includeArtifacts?: boolean;
}

export interface ListTasksResponse {
  tasks: Task[];
  nextPageToken: string;
  pageSize: number;
  totalSize: number;
}

export interface CancelTaskRequest {
  tenant?: string;
  id: string;
  metadata?: JsonObject;
}

export interface SubscribeToTaskRequest {
  tenant?: string;
  id: string;
}

export interface GetExtendedAgentCardRequest {
  tenant?: string;
}

export interface CreateTaskPushNotificationConfigRequest extends TaskPushNotificationConfig {
  tenant?: string;
  taskId: string;
}

export interface GetTaskPushNotificationConfigRequest {
  tenant?: string;
  taskId: string;
  /** Absent only over v0.3, where it means the first configuration of the task. */
  id?: string;
}

export interface ListTaskPushNotificationConfigsRequest {
  tenant?: string;
  taskId: string;
  pageSize?: number;
  pageToken?: string;
}

export interface ListTaskPushNotificationConfigsResponse {
  configs: TaskPushNotificationConfig[];
  nextPageToken?: string;
}

export interface DeleteTaskPushNotificationConfigRequest {
  tenant?: string;
  taskId: string;
  id: string;
}

export interface AgentExtension {
  uri: string;
  description?: string;
  required?: boolean;
  params?: JsonObject;
}

export interface AgentCapabilities {
  streaming?: boolean;
  pushNotifications?: boolean;
  extensions?: AgentExtension[];
  extendedAgentCard?: boolean;
}

export interface AgentInterface {
  url: string;
  protocolBinding: string;
  tenant?: string;
  /** `1.0` or `0.3`: clients compare the string exactly. */
  protocolVersion: string;
}

export interface AgentSkill {
  id: string;
  name: string;
  description: string;
  tags: string[];
  examples?: string[];
  inputModes?: string[];
  outputModes?: string[];
  securityRequirements?: SecurityRequirement[];
}

export interface SecurityRequirement {
  schemes: { [name: string]: { list?: string[] } };
}

/** A oneof by key: `apiKeySecurityScheme`, `httpAuthSecurityScheme`, `oauth2SecurityScheme`, … */
export type SecurityScheme = JsonObject;

export interface AgentCardSignature {
  protected: string;
  signature: string;
  header?: JsonObject;
}

export interface AgentCard {
  name: string;
  description: string;
  supportedInterfaces: AgentInterface[];
  provider?: { url: string; organization: string };
  version: string;
  documentationUrl?: string;
  capabilities: AgentCapabilities;
  securitySchemes?: { [name: string]: SecurityScheme };
  securityRequirements?: SecurityRequirement[];
  defaultInputModes: string[];
  defaultOutputModes: string[];
  skills: AgentSkill[];
  signatures?: AgentCardSignature[];
  iconUrl?: string;
}
