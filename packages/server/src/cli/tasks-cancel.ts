import { type ClientOptions, connect } from './client.ts';
import { explain } from './client-error.ts';
import type { CliContext } from './context.ts';
import { EXIT, type ExitCode } from './exit.ts';
import type { Io } from './io.ts';
import { asJson, httpHeaders } from './options.ts';
import { createOut } from './out.ts';
import { taskOf } from './task-json.ts';
import { stateName } from './task-state.ts';

interface CancelOptions extends ClientOptions {
  json?: boolean;
}

export function addTasksCancel({ program, io, run }: CliContext): void {
  program
    .command('cancel')
    .description('cancel a task')
    .argument('<url>', 'endpoint of the agent')
    .argument('<id>', 'id of the task')
    .addOption(httpHeaders())
    .addOption(asJson())
    .action((url: string, id: string, options: CancelOptions) =>
      run(options.json, () => cancel(url, id, options, io)),
    );
}

async function cancel(url: string, id: string, options: CancelOptions, io: Io): Promise<ExitCode> {
  const client = await connect(url, options);
  const canceled = await client
    .cancelTask({ tenant: '', id, metadata: undefined })
    .catch((error: unknown) => {
      throw explain(error, url);
    });
  const task = taskOf(canceled);
  const out = createOut(io, { json: options.json === true });
  if (out.json) out.value(task);
  else out.line(`${stateName(task.status.state)}  task ${task.id}  context ${task.contextId}`);
  return EXIT.ok;
}
