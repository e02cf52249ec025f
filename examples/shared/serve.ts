import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { createParley } from '@parley/server';
import { graph as chat } from '../chat/graph.ts';
import { graph as expenseDesk } from '../expense-desk/graph.ts';
import { graph as agentA } from '../two-agents/agent-a.ts';
import { graph as agentB } from '../two-agents/agent-b.ts';
import { graph as delegate } from '../two-agents/delegate.ts';

export const CONFIG_FILE = fileURLToPath(new URL('../langgraph.json', import.meta.url));

export const graphs = { chat, 'expense-desk': expenseDesk, 'agent-a': agentA, 'agent-b': agentB, delegate };

/** All examples on a free port, in this process; `npm start` serves the same from langgraph.json. */
export async function serveExamples(): Promise<{ url: string; close(): Promise<void> }> {
  const { a2a } = JSON.parse(await readFile(CONFIG_FILE, 'utf8')) as { a2a?: object };
  const parley = await createParley({ graphs, ...(a2a ? { a2a } : {}) });
  const { url } = await parley.listen({ port: 0, host: '127.0.0.1' });
  process.env.PARLEY_URL = url;
  return {
    url,
    close: async () => {
      delete process.env.PARLEY_URL;
      await parley.close();
    },
  };
}
