import { join } from 'node:path';
import { createParley, type Parley } from '@parley/server';
import { echoAgent } from '../agents/echo.ts';
import { answerGraph, askingGraph, tokenGraph } from '../agents/graphs.ts';
import { fillStore } from './fill-store.ts';
import type { RunningSubject, SubjectOptions } from './subject.ts';

export async function start({ folder, tasks = 0 }: SubjectOptions): Promise<RunningSubject> {
  const database = join(folder, 'parley.db');
  const graphs = { answer: answerGraph, tokens: tokenGraph, asks: askingGraph, echo: echoAgent };
  const open = (): Promise<Parley> => createParley({ graphs, database });
  let parley = await open();
  if (tasks > 0) {
    const assistant = parley.assistants.find(({ graphId }) => graphId === 'echo');
    await parley.close();
    await fillStore(database, assistant?.id ?? '', tasks);
    parley = await open();
  }
  const { url } = await parley.listen({ port: 0, host: '127.0.0.1' });
  return { url: `${url}/a2a`, close: () => parley.close(0) };
}
