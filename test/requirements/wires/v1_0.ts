import type { Operation, Wire } from './wire.ts';

const methods: Record<Operation, string> = {
  SendMessage: 'SendMessage',
  SendStreamingMessage: 'SendStreamingMessage',
  GetTask: 'GetTask',
  ListTasks: 'ListTasks',
  CancelTask: 'CancelTask',
  SubscribeToTask: 'SubscribeToTask',
  GetExtendedAgentCard: 'GetExtendedAgentCard',
  CreateTaskPushNotificationConfig: 'CreateTaskPushNotificationConfig',
  GetTaskPushNotificationConfig: 'GetTaskPushNotificationConfig',
  ListTaskPushNotificationConfigs: 'ListTaskPushNotificationConfigs',
  DeleteTaskPushNotificationConfig: 'DeleteTaskPushNotificationConfig',
};

export const wireV1_0: Wire = {
  version: '1.0',
  methods,
  writeParams: (_, params) => params,
  readResult: (_, result) => result,
};
