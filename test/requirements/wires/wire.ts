import type { Fields } from '../../wire/rpc.ts';
import type { Version } from '../requirement.ts';

export type Operation =
  | 'SendMessage'
  | 'SendStreamingMessage'
  | 'GetTask'
  | 'ListTasks'
  | 'CancelTask'
  | 'SubscribeToTask'
  | 'GetExtendedAgentCard'
  | 'CreateTaskPushNotificationConfig'
  | 'GetTaskPushNotificationConfig'
  | 'ListTaskPushNotificationConfigs'
  | 'DeleteTaskPushNotificationConfig';

/** How a version says what the checks say in the words of A2A 1.0. */
export interface Wire {
  version: Version;
  /** Names of the operations that it has. */
  methods: Partial<Record<Operation, string>>;
  writeParams(operation: Operation, params: Fields): Fields;
  /** A result, or an event of a stream, in the words of 1.0. */
  readResult(operation: Operation, result: Fields): Fields;
}
