import type { ListTasksResponse } from '@parley/protocol';
import { Option } from 'commander';
import { type ClientOptions, connect } from './client.ts';
import { explain } from './client-error.ts';
import type { CliContext } from './context.ts';
import { EXIT, type ExitCode } from './exit.ts';
import type { Io } from './io.ts';
import { asJson, countOption, httpHeaders } from './options.ts';
import { createOut, type Out } from './out.ts';
import { listOf } from './task-json.ts';
import { STATE_NAMES, stateName, stateNamed } from './task-state.ts';

interface ListOptions extends ClientOptions {
  context?: string;
  state?: string;
  limit: number;
  page?: string;
  json?: boolean;
}

export function addTasksList({ program, io, run }: CliContext): void {
  program
    .command('list')
    .description('list tasks, the latest first')
    .argument('<url>', 'endpoint of the agent')
    .option('--context <id>', 'of this conversation only')
    .addOption(new Option('--state <state>', 'in this state only').choices(STATE_NAMES))
    .option('--limit <count>', 'how many at most', countOption, 20)
    .option('--page <token>', 'the page that a list before has named')
    .addOption(httpHeaders())
    .addOption(asJson())
    .action((url: string, options: ListOptions) => run(options.json, () => list(url, options, io)));
}

async function list(url: string, options: ListOptions, io: Io): Promise<ExitCode> {
  const client = await connect(url, options);
  const response = await client
    .listTasks({
      tenant: '',
      contextId: options.context ?? '',
      status: stateNamed(options.state ?? 'unspecified'),
      pageSize: options.limit,
      pageToken: options.page ?? '',
      statusTimestampAfter: undefined,
    })
    .catch((error: unknown) => {
      throw explain(error, url);
    });
  const out = createOut(io, { json: options.json === true });
  const page = listOf(response);
  if (out.json) out.value(page);
  else printList(out, page);
  return EXIT.ok;
}

function printList(out: Out, { tasks, nextPageToken, totalSize }: ListTasksResponse): void {
  for (const { id, contextId, status } of tasks) {
    out.line(`${id}  ${stateName(status.state).padEnd(14)}  ${status.timestamp ?? '-'}  ${contextId}`);
  }
  const total = totalSize === 1 ? '1 task' : `${totalSize} tasks`;
  out.note(tasks.length < totalSize ? `${tasks.length} of ${total}` : total, 'dim');
  if (nextPageToken !== '') out.note(`next page: --page ${nextPageToken}`, 'dim');
}
