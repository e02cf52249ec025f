/** The process of one subject: `child.ts <subject> <options as JSON>`. */

import type { Answer, Question, StartSubject, SubjectName, SubjectOptions } from './subject.ts';

const load: { [name in SubjectName]: () => Promise<{ start: StartSubject }> } = {
  parley: () => import('./parley.ts'),
  'bare-handler': () => import('./bare-handler.ts'),
  'sdk-memory': async () => ({ start: (await import('./sdk.ts')).startInMemory }),
  'sdk-database': async () => ({ start: (await import('./sdk.ts')).startOnDatabase }),
  'dev-server': () => import('./dev-server.ts'),
  'plain-http': () => import('./plain-http.ts'),
};

const [name, options] = process.argv.slice(2) as [SubjectName, string];
const tell = (answer: Answer): void => void process.send?.(answer);

try {
  const { start } = await load[name]();
  const subject = await start(JSON.parse(options) as SubjectOptions);
  process.on('message', (question: Question) => {
    if (question === 'cpu') tell({ cpuMicros: cpuMicros() });
    else if (question === 'memory') tell({ memory: memory() });
    else void subject.close().finally(() => process.exit(0));
  });
  process.on('disconnect', () => process.exit(1));
  tell({ url: subject.url });
} catch (error) {
  tell({ failed: error instanceof Error ? error.message : String(error) });
}

function cpuMicros(): number {
  const { user, system } = process.cpuUsage();
  return user + system;
}

function memory(): { rss: number; heap: number } {
  globalThis.gc?.();
  const { rss, heapUsed } = process.memoryUsage();
  return { rss, heap: heapUsed };
}
