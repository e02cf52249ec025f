import { type ClientOptions, connect } from './client.ts';
import { explain } from './client-error.ts';
import type { CliContext } from './context.ts';
import { EXIT, type ExitCode } from './exit.ts';
import type { Io } from './io.ts';
import { asJson, httpHeaders } from './options.ts';
import { createOut } from './out.ts';
import { printEnd } from './print-end.ts';
import { printArtifacts } from './print-task.ts';
import { taskOf } from './task-json.ts';

interface GetOptions extends ClientOptions {
  json?: boolean;
}

export function addTasksGet({ program, io, run }: CliContext): void {
  program
    .command('get')
    .description('show a task: what it has made and how it stands')
    .argument('<url>', 'endpoint of the agent')
    .argument('<id>', 'id of the task')
    .addOption(httpHeaders())
    .addOption(asJson())
    .action((url: string, id: string, options: GetOptions) =>
      run(options.json, () => get(url, id, options, io)),
    );
}

/** The task's state is what was asked for: a failed one is an answer, not a failure. */
async function get(url: string, id: string, options: GetOptions, io: Io): Promise<ExitCode> {
  const client = await connect(url, options);
  const task = await client.getTask({ tenant: '', id }).catch((error: unknown) => {
    throw explain(error, url);
  });
  const out = createOut(io, { json: options.json === true });
  if (out.json) out.value(taskOf(task));
  else {
    printArtifacts(out, taskOf(task));
    printEnd(out, taskOf(task), { url, env: io.env });
  }
  return EXIT.ok;
}
