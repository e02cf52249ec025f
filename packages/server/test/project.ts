import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const NODE_MODULES = fileURLToPath(new URL('../../../node_modules', import.meta.url));

export interface Project {
  folder: string;
  config: string;
  write(name: string, text: string | object): void;
  remove(): void;
}

/** A folder as a user has it: packages, a `langgraph.json`, agents in TypeScript. */
export function createProject(files: { [name: string]: string | object }): Project {
  const folder = mkdtempSync(join(tmpdir(), 'parley-cli-'));
  symlinkSync(NODE_MODULES, join(folder, 'node_modules'), 'junction');
  const write = (name: string, text: string | object): void =>
    writeFileSync(join(folder, name), typeof text === 'string' ? text : JSON.stringify(text));
  for (const [name, text] of Object.entries(files)) write(name, text);
  return {
    folder,
    config: join(folder, 'langgraph.json'),
    write,
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}

/** Agents that do as they are told. `gate` holds its answer open until somebody says `open` to it. */
export const AGENTS = `
import { AIMessage } from '@langchain/core/messages';
import { END, MessagesAnnotation, START, StateGraph, interrupt } from '@langchain/langgraph';
import { z } from 'zod';

export const echo = {
  async invoke({ text, data, files }, { turn }) {
    if (text === 'fail') throw new Error('a secret');
    if (text === 'reject') return turn.reject('not this one');
    if (text === 'env') return process.env.GREETING + ' ' + process.env.PARLEY_TEST_WINS;
    if (text === 'ask') return turn.requireInput('Which colour?');
    return JSON.stringify({ text, data, files: files.map(({ name, mimeType, bytes }) => [name, mimeType, Buffer.from(bytes, 'base64').toString()]) });
  },
};

let open;
const opened = new Promise((resolve) => { open = resolve; });
export const gate = {
  async *stream({ text }) {
    if (text === 'open') { open(); yield 'opened'; return; }
    yield 'first ';
    await opened;
    yield 'second';
  },
};

export const wait = {
  invoke: (_, { signal }) => new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason))),
};

const Decision = z.object({ approved: z.boolean() });
export const approve = new StateGraph(MessagesAnnotation)
  .addNode('approve', () => {
    const decision = interrupt({ question: 'May I?' }, { responseSchema: Decision });
    return { messages: [new AIMessage(decision.approved ? 'done' : 'left alone')] };
  })
  .addEdge(START, 'approve')
  .addEdge('approve', END);
`;

export const AGENTS_CONFIG = {
  graphs: {
    echo: { path: './agents.ts:echo', description: 'Says what it was sent' },
    gate: './agents.ts:gate',
    wait: './agents.ts:wait',
    approve: './agents.ts:approve',
  },
  env: { GREETING: 'hello', PARLEY_TEST_WINS: 'config' },
};
