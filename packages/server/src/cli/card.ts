import type { AgentCard } from '@parley/protocol';
import { type ClientOptions, connect, fetchCard } from './client.ts';
import type { CliContext } from './context.ts';
import { EXIT, type ExitCode } from './exit.ts';
import type { Io } from './io.ts';
import { asJson, httpHeaders } from './options.ts';
import { createOut, type Out } from './out.ts';

interface CardOptions extends ClientOptions {
  json?: boolean;
}

export function addCard({ program, io, run }: CliContext): void {
  program
    .command('card')
    .description("show an agent's card")
    .argument('<url>', 'endpoint of the agent, such as http://127.0.0.1:2024/a2a/chat')
    .addOption(httpHeaders())
    .addOption(asJson())
    .action((url: string, options: CardOptions) => run(options.json, () => card(url, options, io)));
}

async function card(url: string, options: CardOptions, io: Io): Promise<ExitCode> {
  const out = createOut(io, { json: options.json === true });
  if (out.json) {
    out.value(await fetchCard(url, options));
    return EXIT.ok;
  }
  const client = await connect(url, options);
  printCard(out, (await client.getAgentCard()) as unknown as AgentCard);
  return EXIT.ok;
}

function printCard(out: Out, card: AgentCard): void {
  out.line(`${card.name}  ${card.version}`, 'bold');
  out.line(card.description);
  for (const { url, protocolBinding, protocolVersion } of card.supportedInterfaces) {
    out.line(`  ${protocolBinding} ${protocolVersion}  ${url}`);
  }
  const { streaming, pushNotifications, extendedAgentCard, extensions = [] } = card.capabilities;
  const can = { streaming, 'push notifications': pushNotifications, 'extended card': extendedAgentCard };
  const names = Object.entries(can).flatMap(([name, has]) => (has ? [name] : []));
  out.line(`can: ${names.join(', ') || 'nothing beyond sending'}`);
  out.line(`takes: ${card.defaultInputModes.join(', ')}`);
  out.line(`gives: ${card.defaultOutputModes.join(', ')}`);
  for (const { id, name, description } of card.skills)
    out.line(`skill ${id}: ${name === id ? '' : `${name}: `}${description}`);
  for (const { uri, required } of extensions) out.line(`extension ${uri}${required ? ' (required)' : ''}`);
}
