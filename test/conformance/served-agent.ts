import { setTimeout as sleep } from 'node:timers/promises';
import { createConformanceAgent } from './agent.ts';

/** What the `langgraph.json` of each configuration names: pauses take their time. */
export const agent: object = createConformanceAgent((ms, signal) =>
  sleep(ms, undefined, signal ? { signal } : {}),
);
