/** Runs scenarios and prints what they found. A report, no test: it ends with 0 whatever it measured. */

import { installDevServer } from './install-dev-server.ts';
import { describeMachine, printMachine } from './machine.ts';
import { type Options, readOptions, type ScenarioName, USAGE } from './options.ts';
import { printReport } from './report/print.ts';
import type { Report } from './report/report.ts';
import { memoryScenario } from './scenarios/memory.ts';
import type { Scenario, ScenarioOptions } from './scenarios/scenario.ts';
import { sendScenario } from './scenarios/send.ts';
import { streamScenario } from './scenarios/stream.ts';
import { tasksScenario } from './scenarios/tasks.ts';
import { threadScenario } from './scenarios/thread.ts';

const scenarios: { [name in ScenarioName]: Scenario } = {
  send: sendScenario,
  stream: streamScenario,
  tasks: tasksScenario,
  thread: threadScenario,
  memory: memoryScenario,
};

try {
  const options = readOptions(process.argv.slice(2));
  if (options.help) process.stdout.write(USAGE);
  else await run(options);
} catch (error) {
  process.stderr.write(`${(error as Error).message}\n\n${USAGE}`);
}
process.exit(0);

async function run(options: Options): Promise<void> {
  const machine = describeMachine();
  const reports: Report[] = [];
  const print = (text: string): void => void (options.json || process.stdout.write(`${text}\n`));
  print(printMachine(machine));
  if (options.quick) print('--quick: the figures below mean nothing');
  print('');
  const devServer = options.devServer && (await tryInstall());
  for (const name of options.only) {
    const report = await runScenario(name, {
      quick: options.quick,
      devServer,
      cpuProf: options.cpuProf,
      progress: (line) => process.stderr.write(`${name}: ${line}\n`),
    });
    reports.push(report);
    print(printReport(report));
  }
  if (options.json) {
    const document = { machine, quick: options.quick, reports };
    await new Promise((resolve) => process.stdout.write(`${JSON.stringify(document, null, 2)}\n`, resolve));
  }
}

async function runScenario(name: ScenarioName, options: ScenarioOptions): Promise<Report> {
  try {
    return await scenarios[name](options);
  } catch (error) {
    const missing = [`${name} broke off: ${(error as Error).message}`];
    return { scenario: name, method: '', tables: [], checks: [], missing };
  }
}

async function tryInstall(): Promise<boolean> {
  try {
    await installDevServer((line) => process.stderr.write(`${line}\n`));
  } catch (error) {
    process.stderr.write(`the dev server could not be installed: ${(error as Error).message}\n`);
  }
  return true;
}
