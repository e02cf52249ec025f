import type { Client } from '@a2a-js/sdk/client';
import { isInterrupted, isTerminal, type StreamResponse } from '@parley/protocol';
import { type ClientOptions, connect } from './client.ts';
import { jsonRpcCode } from './client-error.ts';
import type { CliContext } from './context.ts';
import type { ExitCode } from './exit.ts';
import type { Io } from './io.ts';
import { asJson, httpHeaders } from './options.ts';
import { createOut } from './out.ts';
import { brokenOff, cutOff, printEnd } from './print-end.ts';
import { createStreamPrinter } from './print-stream.ts';
import { eventOf, taskOf } from './task-json.ts';

interface WatchOptions extends ClientOptions {
  json?: boolean;
}

const UNSUPPORTED_OPERATION = -32004;

export function addTasksWatch({ program, io, run }: CliContext): void {
  program
    .command('watch')
    .description('follow a task to its end, from wherever it is')
    .argument('<url>', 'endpoint of the agent')
    .argument('<id>', 'id of the task')
    .addOption(httpHeaders())
    .addOption(asJson('one JSON value a line,'))
    .action((url: string, id: string, options: WatchOptions) =>
      run(options.json, () => watch(url, id, options, io)),
    );
}

async function watch(url: string, id: string, options: WatchOptions, io: Io): Promise<ExitCode> {
  const client = await connect(url, options);
  const out = createOut(io, { json: options.json === true });
  const printer = createStreamPrinter(out, { snapshot: true });
  const place = { url, env: io.env };
  try {
    await follow(client, id, (event) => {
      printer.take(event);
      const now = printer.task();
      // The stream stays open while the task waits for its answer.
      if (now && isInterrupted(now.status.state) && !('artifactUpdate' in event)) printEnd(out, now, place);
    });
  } catch (error) {
    out.clear();
    throw brokenOff(error, printer.task(), place);
  }
  const task = printer.task();
  if (!task || !isTerminal(task.status.state)) throw cutOff(id, place);
  return printEnd(out, task, place);
}

/** A task that has ended has no stream: it is read instead. */
async function follow(client: Client, id: string, take: (event: StreamResponse) => void): Promise<void> {
  try {
    for await (const event of client.resubscribeTask({ tenant: '', id })) take(eventOf(event));
  } catch (error) {
    if (jsonRpcCode(error) !== UNSUPPORTED_OPERATION) throw error;
    take({ task: taskOf(await client.getTask({ tenant: '', id })) });
  }
}
