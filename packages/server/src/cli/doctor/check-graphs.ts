import { fork } from 'node:child_process';
import type { Config } from '../../config/load-config.ts';
import { PARLEY_BIN } from '../dev-server.ts';
import { type Finding, findingsOf } from './finding.ts';
import type { Loaded } from './load-graph.ts';

const { ok, problem } = findingsOf('graphs');

/** Each loads, alone and in time, and takes messages. */
export async function checkGraphs(config: Config, timeoutMs: number): Promise<Finding[]> {
  const findings: Finding[] = [];
  for (const graphId of Object.keys(config.graphs))
    findings.push(await checkGraph(config, graphId, timeoutMs));
  return findings;
}

/** In a process of its own: an import that never ends cannot be ended otherwise. */
function checkGraph(config: Config, graphId: string, timeoutMs: number): Promise<Finding> {
  const file = config.graphs[graphId]?.file ?? config.file;
  const child = fork(PARLEY_BIN, ['doctor', '--config', config.file, '--load-graph', graphId], {
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
  });
  let said = '';
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    said = `${said}${text}`.slice(-2_000);
  });
  return new Promise((resolve) => {
    const end = (finding: Finding): void => {
      clearTimeout(timer);
      child.kill('SIGKILL');
      resolve(finding);
    };
    const timer = setTimeout(() => {
      const remedy = `look for what ${file} waits for when it is imported; --timeout gives it longer`;
      end(problem(`graph ${graphId} has not loaded within ${timeoutMs / 1_000} seconds`, remedy));
    }, timeoutMs);
    child.once('message', (message) => {
      const found = (message as Loaded).problem;
      end(
        found
          ? problem(`graph ${graphId}: ${found.message}`, found.remedy)
          : ok(`graph ${graphId} takes messages`),
      );
    });
    child.once('error', (error) => end(problem(`graph ${graphId}: ${error.message}`, 'try again')));
    child.once('close', (code, signal) => {
      const last = said.trim().split('\n').at(-1);
      const how = `graph ${graphId} ends the process while it loads (${signal ?? `code ${code}`})`;
      end(
        problem(last ? `${how}: ${last}` : how, `see to it that importing ${file} does not end the process`),
      );
    });
  });
}
