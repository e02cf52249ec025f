import type { Config } from '../../config/load-config.ts';
import { checkAlone } from './check-alone.ts';
import { type Finding, findingsOf } from './finding.ts';

const graphFindings = findingsOf('graphs');
const storeFindings = findingsOf('store');

/** Each loads, alone and in time, and takes messages. */
export async function checkGraphs(config: Config, timeoutMs: number): Promise<Finding[]> {
  const findings: Finding[] = [];
  for (const [graphId, { file }] of Object.entries(config.graphs)) {
    const args = ['--config', config.file, '--load-graph', graphId];
    const graph = { name: `graph ${graphId}`, file, well: 'takes messages', args };
    findings.push(await checkAlone(graph, graphFindings, timeoutMs));
  }
  return findings;
}

/** The model that LangGraph's store is searched with makes vectors of the length that is set. */
export async function checkStore(config: Config, timeoutMs: number): Promise<Finding[]> {
  const { index } = config.store;
  if (!index) return [];
  const { file, exportName } = index.embed;
  const args = ['--config', config.file, '--load-store'];
  const model = {
    name: `store.index.embed (${exportName})`,
    file,
    well: `makes vectors of ${index.dims}`,
    args,
  };
  return [await checkAlone(model, storeFindings, timeoutMs)];
}
