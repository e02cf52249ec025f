/** The seam between the operations of A2A and a wire version: the engine sees requests and responses of the model only. */

import type { A2AError } from '../errors.ts';
import type { JsonRpcError } from '../json-rpc.ts';
import type {
  AgentCard,
  CancelTaskRequest,
  CreateTaskPushNotificationConfigRequest,
  DeleteTaskPushNotificationConfigRequest,
  GetExtendedAgentCardRequest,
  GetTaskPushNotificationConfigRequest,
  GetTaskRequest,
  JsonValue,
  ListTaskPushNotificationConfigsRequest,
  ListTaskPushNotificationConfigsResponse,
  ListTasksRequest,
  ListTasksResponse,
  SendMessageRequest,
  SendMessageResponse,
  StreamResponse,
  SubscribeToTaskRequest,
  Task,
  TaskPushNotificationConfig,
} from '../model.ts';
import type { ProtocolVersion } from '../version.ts';

/** Request and response by operation; the response of a streaming operation is one event. */
export interface OperationTypes {
  SendMessage: { request: SendMessageRequest; response: SendMessageResponse };
  SendStreamingMessage: { request: SendMessageRequest; response: StreamResponse };
  GetTask: { request: GetTaskRequest; response: Task };
  ListTasks: { request: ListTasksRequest; response: ListTasksResponse };
  CancelTask: { request: CancelTaskRequest; response: Task };
  SubscribeToTask: { request: SubscribeToTaskRequest; response: StreamResponse };
  GetExtendedAgentCard: { request: GetExtendedAgentCardRequest; response: AgentCard };
  CreateTaskPushNotificationConfig: {
    request: CreateTaskPushNotificationConfigRequest;
    response: TaskPushNotificationConfig;
  };
  GetTaskPushNotificationConfig: {
    request: GetTaskPushNotificationConfigRequest;
    response: TaskPushNotificationConfig;
  };
  ListTaskPushNotificationConfigs: {
    request: ListTaskPushNotificationConfigsRequest;
    response: ListTaskPushNotificationConfigsResponse;
  };
  DeleteTaskPushNotificationConfig: { request: DeleteTaskPushNotificationConfigRequest; response: null };
}
export type Operation = keyof OperationTypes;

export interface DecodeLimits {
  /** Parts of one message. */
  maxParts: number;
}
export const DEFAULT_DECODE_LIMITS: DecodeLimits = { maxParts: 1000 };

export interface MethodOf<O extends Operation> {
  operation: O;
  streams: boolean;
  /** Throws `invalid-params` and nothing else. The result shares metadata and data with `params`. */
  decode(params: unknown, limits?: DecodeLimits): OperationTypes[O]['request'];
  /** The value of `result`. */
  encode(response: OperationTypes[O]['response']): JsonValue;
}
/** Narrows by `operation`. */
export type Method = { [O in Operation]: MethodOf<O> }[Operation];

export interface EventOptions {
  /** The stream ends with this event. */
  final: boolean;
}

export interface Codec {
  version: ProtocolVersion;
  /** By JSON-RPC method name. A name that is not here is answered with `method-not-found`. */
  methods: ReadonlyMap<string, Method>;
  /** The value of `result` in one frame of a stream; does not depend on who reads it. */
  encodeEvent(event: StreamResponse, options: EventOptions): JsonValue;
  encodeError(error: A2AError): JsonRpcError;
  encodeCard(card: AgentCard): JsonValue;
}

/** A method table; methods that share a name would hide each other, so pairs come from an object literal. */
export function methodTable(methods: { [name: string]: Method }): ReadonlyMap<string, Method> {
  return new Map(Object.entries(methods));
}
