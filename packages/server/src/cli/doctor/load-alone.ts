import { type Config, loadConfig } from '../../config/load-config.ts';
import { itemSettings } from '../../item-settings.ts';
import { assertTakesMessages } from '../../langgraph/agent.ts';
import { loadAgents } from '../../langgraph/load-agents.ts';
import { loadStore } from '../../langgraph/load-store.ts';
import { vectorOfQuery } from '../../store/sqlite/items/vectors.ts';
import { EXIT, type ExitCode } from '../exit.ts';
import type { Io } from '../io.ts';
import { messageOf } from './finding.ts';

/** What a process that loads one thing tells the one that watches it. */
export interface Loaded {
  problem?: { message: string; remedy: string };
}

/** A graph by its id, or the model of LangGraph's store. */
export type Loadable = { graph: string } | 'store';

/** Loads one part of a project in this process, which is there for nothing else: a module may do anything. */
export async function loadAlone(file: string, part: Loadable, io: Io): Promise<ExitCode> {
  const config = loadConfig(file);
  for (const [name, value] of Object.entries(config.env)) io.env[name] ??= value;
  const loaded = await (part === 'store' ? loadModel(config) : loadGraph(config, part.graph));
  await new Promise<void>((sent) => {
    if (process.send) process.send(loaded, () => sent());
    else sent();
  });
  // What the module has opened would keep the process.
  process.exit(EXIT.ok);
}

async function loadGraph(config: Config, graphId: string): Promise<Loaded> {
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
    return { problem: { message: messageOf(error), remedy: mend(entry ?? { file: config.file }) } };
  }
}

/** Asks the model for the vector of a word. */
async function loadModel(config: Config): Promise<Loaded> {
  const { index } = config.store;
  if (!index) return {};
  try {
    const settings = itemSettings(await loadStore(config));
    if (settings.index) await vectorOfQuery(settings.index, 'hello');
    return {};
  } catch (error) {
    return { problem: { message: messageOf(error), remedy: mend(index.embed) } };
  }
}

function mend({ file, exportName }: { file: string; exportName?: string }): string {
  const place = exportName === undefined ? file : `${file}, export ${exportName}`;
  return `mend ${place}; npm install brings packages that are missing`;
}
