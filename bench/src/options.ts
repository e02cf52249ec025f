import { parseArgs } from 'node:util';

export const SCENARIOS = ['send', 'stream', 'tasks', 'thread', 'memory'] as const;
export type ScenarioName = (typeof SCENARIOS)[number];

export interface Options {
  only: ScenarioName[];
  quick: boolean;
  json: boolean;
  devServer: boolean;
  cpuProf: string | undefined;
  help: boolean;
}

export const USAGE = `npm run bench -- [options]

  --only <names>     of ${SCENARIOS.join(', ')}; several with commas
  --dev-server       compares the LangGraph.js dev server too; installs it into bench/dev-server on first use
  --quick            tiny sizes: shows the shape and measures nothing
  --json             one JSON document on stdout
  --cpu-prof <dir>   writes a CPU profile of every server into <dir>
`;

/** Throws with a sentence for the terminal. */
export function readOptions(args: string[]): Options {
  const { values } = parseArgs({
    args,
    options: {
      only: { type: 'string' },
      quick: { type: 'boolean', default: false },
      json: { type: 'boolean', default: false },
      'dev-server': { type: 'boolean', default: false },
      'cpu-prof': { type: 'string' },
      help: { type: 'boolean', short: 'h', default: false },
    },
  });
  const { only, quick, json, help } = values;
  return {
    only: only === undefined ? [...SCENARIOS] : only.split(',').map(scenarioOf),
    quick,
    json,
    help,
    devServer: values['dev-server'],
    cpuProf: values['cpu-prof'],
  };
}

function scenarioOf(name: string): ScenarioName {
  const scenario = SCENARIOS.find((one) => one === name.trim());
  if (!scenario) throw new Error(`there is no scenario '${name}': ${SCENARIOS.join(', ')}`);
  return scenario;
}
