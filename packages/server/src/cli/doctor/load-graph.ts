import { loadConfig } from '../../config/load-config.ts';
import { assertTakesMessages } from '../../langgraph/agent.ts';
import { loadAgents } from '../../langgraph/load-agents.ts';
import { EXIT, type ExitCode } from '../exit.ts';
import type { Io } from '../io.ts';
import { messageOf } from './finding.ts';

/** What the process of a graph tells the one that watches it. */
export interface Loaded {
  problem?: { message: string; remedy: string };
}

/** Loads one graph in this process, which is there for nothing else: a module may do anything. */
export async function loadGraphAlone(file: string, graphId: string, io: Io): Promise<ExitCode> {
  const config = loadConfig(file);
  for (const [name, value] of Object.entries(config.env)) io.env[name] ??= value;
  const loaded = await load(config, graphId);
  await new Promise<void>((sent) => {
    if (process.send) process.send(loaded, () => sent());
    else sent();
  });
  // What the module has opened would keep the process.
  process.exit(EXIT.ok);
}

async function load(config: ReturnType<typeof loadConfig>, graphId: string): Promise<Loaded> {
  const entry = config.graphs[graphId];
  try {
    const agents = await loadAgents({ ...config, graphs: entry ? { [graphId]: entry } : {} });
    const agent = agents.get(graphId)?.agent;
    if (!agent) throw new Error(`there is no graph '${graphId}'`);
    try {
      await assertTakesMessages(agent, graphId, { configurable: {} });
    } catch (error) {
      const remedy =
        'give its state a messages key, as MessagesAnnotation has; a factory must make one without arguments of yours';
      return { problem: { message: messageOf(error), remedy } };
    }
    return {};
  } catch (error) {
    const place = entry ? `${entry.file}, export ${entry.exportName}` : config.file;
    return {
      problem: {
        message: messageOf(error),
        remedy: `mend ${place}; npm install brings packages that are missing`,
      },
    };
  }
}
