import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { type AgentCard, type Artifact, type Task, TaskState } from '@a2a-js/sdk';
import {
  AgentEvent,
  type AgentExecutor,
  DefaultRequestHandler,
  InMemoryTaskStore,
  type RequestContext,
  ServerCallContext,
  type TaskStore,
  UnauthenticatedUser,
} from '@a2a-js/sdk/server';
import { DatabaseTaskStore } from '@a2a-js/sdk/server/database';
import { jsonRpcHandler, UserBuilder } from '@a2a-js/sdk/server/express';
import Sqlite from 'better-sqlite3';
import express from 'express';
import { Kysely, SqliteDialect } from 'kysely';
import { readOrder, tokens } from '../agents/tokens.ts';
import { listen } from './http.ts';
import type { RunningSubject, SubjectOptions } from './subject.ts';

export async function startInMemory(): Promise<RunningSubject> {
  return startServer(new InMemoryTaskStore());
}

/** The SDK's own tables, made by its own tool, on a file with the same journal and sync settings as Parley's. */
export async function startOnDatabase({ folder, tasks = 0 }: SubjectOptions): Promise<RunningSubject> {
  const file = join(folder, 'sdk.db');
  const migrate = ['--no-install', 'a2a-db', 'upgrade', '--store', 'tasks', '--url', `sqlite:${file}`];
  await promisify(execFile)('npx', migrate, { cwd: fileURLToPath(new URL('../..', import.meta.url)) });
  const database = new Sqlite(file);
  database.pragma('locking_mode = EXCLUSIVE');
  database.pragma('journal_mode = WAL');
  database.pragma('synchronous = NORMAL');
  database.pragma('wal_autocheckpoint = 4000');
  const kysely = new Kysely({ dialect: new SqliteDialect({ database }) });
  const store = new DatabaseTaskStore(kysely);
  await fill(store, tasks);
  const server = await startServer(store);
  return {
    url: server.url,
    close: async () => {
      await server.close();
      await kysely.destroy();
    },
  };
}

async function startServer(store: TaskStore): Promise<RunningSubject> {
  const requestHandler = new DefaultRequestHandler(card, store, echo);
  const app = express();
  app.use('/', jsonRpcHandler({ requestHandler, userBuilder: UserBuilder.noAuthentication }));
  return listen(createServer(app));
}

/** Says what `agents/echo.ts` says: submitted, working, the answer in an artifact, completed. */
const echo: AgentExecutor = {
  execute: async (context, bus) => {
    const { taskId, contextId } = context;
    const text = textOf(context);
    const state = (value: TaskState): void =>
      bus.publish(
        AgentEvent.statusUpdate({ taskId, contextId, status: statusOf(value), metadata: undefined }),
      );
    const artifactId = randomUUID();
    const artifact = (piece: string, append: boolean, lastChunk: boolean): void =>
      bus.publish(
        AgentEvent.artifactUpdate({
          taskId,
          contextId,
          artifact: artifactOf(artifactId, piece),
          append,
          lastChunk,
          metadata: undefined,
        }),
      );
    bus.publish(AgentEvent.task(taskOf(context)));
    state(TaskState.TASK_STATE_WORKING);
    if (text.startsWith('stream ')) {
      let append = false;
      for await (const token of tokens(readOrder(text))) {
        artifact(token, append, false);
        append = true;
      }
      artifact('', append, true);
    } else artifact(`you said ${text}`, false, true);
    state(TaskState.TASK_STATE_COMPLETED);
    bus.finished();
  },
  cancelTask: async () => {},
};

function textOf({ userMessage }: RequestContext): string {
  const content = userMessage.parts[0]?.content;
  return content?.$case === 'text' ? content.value : '';
}

function taskOf({ taskId, contextId, userMessage }: RequestContext): Task {
  const status = statusOf(TaskState.TASK_STATE_SUBMITTED);
  return { id: taskId, contextId, status, artifacts: [], history: [userMessage], metadata: undefined };
}

function statusOf(state: TaskState): NonNullable<Task['status']> {
  return { state, timestamp: new Date().toISOString(), message: undefined };
}

function artifactOf(artifactId: string, text: string): Artifact {
  const part = {
    content: { $case: 'text' as const, value: text },
    metadata: undefined,
    filename: '',
    mediaType: '',
  };
  return { artifactId, name: 'answer', description: '', parts: [part], metadata: undefined, extensions: [] };
}

async function fill(store: TaskStore, tasks: number): Promise<void> {
  const context = new ServerCallContext({ user: new UnauthenticatedUser() });
  for (let n = 0; n < tasks; n++) {
    const task: Task = {
      id: randomUUID(),
      contextId: randomUUID(),
      status: statusOf(TaskState.TASK_STATE_COMPLETED),
      artifacts: [artifactOf(randomUUID(), `you said hello ${n}`)],
      history: [],
      metadata: undefined,
    };
    await store.save(task, context);
  }
}

const card: AgentCard = {
  name: 'echo',
  description: 'Repeats what it hears',
  version: '1',
  supportedInterfaces: [
    { url: 'http://127.0.0.1/', protocolBinding: 'JSONRPC', protocolVersion: '1.0', tenant: '' },
  ],
  provider: undefined,
  capabilities: { streaming: true, pushNotifications: false, extensions: [], extendedAgentCard: false },
  securitySchemes: {},
  securityRequirements: [],
  defaultInputModes: ['text/plain'],
  defaultOutputModes: ['text/plain'],
  skills: [],
  signatures: [],
};
