import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createConformanceAgent } from '../conformance/agent.ts';
import { createGates, type Gates } from '../support/gates.ts';
import { type Served, serve } from '../support/serve.ts';

export const CONFIGURATIONS = ['min', 'full', 'required-extension', 'strict', 'coarse'] as const;
export type Configuration = (typeof CONFIGURATIONS)[number];

/** The conformance agent, served as each `langgraph.json` has it; its pauses wait at the gate `pause`. */
export interface Agents {
  gates: Gates;
  served(configuration: Configuration): Served;
  close(): Promise<void>;
}

export async function serveAgents(): Promise<Agents> {
  const gates = createGates();
  const conformance = createConformanceAgent((_, signal) => gates.pass('pause', signal));
  const all = new Map<Configuration, Served>();
  for (const configuration of CONFIGURATIONS) {
    const clock = configuration === 'coarse' ? { now: coarse } : {};
    const a2a = settingsOf(configuration);
    all.set(configuration, await serve({ graphs: { conformance }, a2a, ...clock }));
  }
  return {
    gates,
    served: (configuration) => {
      const served = all.get(configuration);
      if (!served) throw new Error(`${configuration} is not served`);
      return served;
    },
    close: async () => {
      await Promise.all([...all.values()].map((served) => served.close()));
    },
  };
}

/** Of whole seconds: what happens together has one timestamp. */
const coarse = (): number => Math.floor(Date.now() / 1_000) * 1_000;

/** `strict`: a request without version is one of 0.3, and a card for it is one that both versions read; `coarse`: as `min`. */
function settingsOf(configuration: Configuration): object {
  if (configuration === 'coarse') return settingsOf('min');
  if (configuration === 'strict') return { v03: 'full', strictVersion: true };
  const file = join(import.meta.dirname, '../conformance', configuration, 'langgraph.json');
  return (JSON.parse(readFileSync(file, 'utf8')) as { a2a: object }).a2a;
}
