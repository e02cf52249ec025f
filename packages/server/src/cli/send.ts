import type { SendMessageRequest } from '@a2a-js/sdk';
import type { Client } from '@a2a-js/sdk/client';
import { isStop } from '@parley/protocol';
import { type ClientOptions, connect } from './client.ts';
import { explain } from './client-error.ts';
import type { CliContext } from './context.ts';
import { EXIT, type ExitCode } from './exit.ts';
import type { Io } from './io.ts';
import { type MessageOptions, messageOf } from './message.ts';
import { asJson, httpHeaders, idOption, jsonOption, listOption } from './options.ts';
import { createOut, type Out } from './out.ts';
import { brokenOff, cutOff, exitCodeOf, type Place, printEnd } from './print-end.ts';
import { printParts } from './print-parts.ts';
import { createStreamPrinter } from './print-stream.ts';
import { printArtifacts } from './print-task.ts';
import { eventOf, resultOf } from './task-json.ts';

interface SendOptions extends ClientOptions, MessageOptions {
  stream?: boolean;
  json?: boolean;
}

export function addSend({ program, io, run }: CliContext): void {
  program
    .command('send')
    .description('send a message to an agent and print its answer')
    .argument('<url>', 'endpoint of the agent, such as http://127.0.0.1:2024/a2a/chat')
    .argument('[text]', 'what to say; - reads it from stdin')
    .option('--stream', 'print the answer while it is made')
    .option('--context <id>', 'go on with the conversation of this id', idOption)
    .option('--task <id>', 'add to this task, such as one that waits for an answer', idOption)
    .option('--data <json>', 'add a data part (repeatable)', jsonOption)
    .option('--file <path>', 'add a file (repeatable)', listOption)
    .addOption(httpHeaders())
    .addOption(asJson('one JSON value, with --stream one a line,'))
    .action((url: string, text: string | undefined, options: SendOptions) =>
      run(options.json, () => send(url, text, options, io)),
    );
}

async function send(url: string, text: string | undefined, options: SendOptions, io: Io): Promise<ExitCode> {
  const message = await messageOf(text, options, io.stdin);
  const request: SendMessageRequest = { tenant: '', message, configuration: undefined, metadata: undefined };
  const client = await connect(url, options);
  const out = createOut(io, { json: options.json === true });
  out.progress('waiting …');
  try {
    return await (options.stream ? streamed : whole)(client, request, out, { url, env: io.env });
  } catch (error) {
    out.clear();
    throw explain(error, url);
  }
}

async function whole(client: Client, request: SendMessageRequest, out: Out, place: Place): Promise<ExitCode> {
  const result = resultOf(await client.sendMessage(request));
  if (out.json) {
    out.value(result);
    return 'task' in result ? exitCodeOf(result.task.status.state) : EXIT.ok;
  }
  if ('message' in result) {
    printParts(out, result.message.parts);
    out.clear();
    return EXIT.ok;
  }
  printArtifacts(out, result.task);
  return printEnd(out, result.task, place);
}

async function streamed(
  client: Client,
  request: SendMessageRequest,
  out: Out,
  place: Place,
): Promise<ExitCode> {
  // The first event of a follow-up holds what the task had made before: the user has seen that.
  const printer = createStreamPrinter(out, { snapshot: request.message?.taskId === '' });
  try {
    for await (const event of client.sendMessageStream(request)) printer.take(eventOf(event));
  } catch (error) {
    throw brokenOff(error, printer.task(), place);
  }
  const task = printer.task();
  if (!task) {
    out.clear();
    return EXIT.ok;
  }
  if (!isStop(task.status.state)) throw cutOff(task.id, place);
  return printEnd(out, task, place);
}
