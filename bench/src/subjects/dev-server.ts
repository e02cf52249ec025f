import { createRequire } from 'node:module';
import { fileURLToPath, pathToFileURL } from 'node:url';
import type { RunningSubject, SubjectOptions } from './subject.ts';

interface Api {
  startServer(options: {
    port: number;
    host: string;
    cwd: string;
    nWorkers: number;
    graphs: { [id: string]: string };
  }): Promise<{ host: string; cleanup(): Promise<void> }>;
}

/** Not a dependency of the bench: it is installed on demand. */
const PACKAGE = '@langchain/langgraph-api';

/** Default of `langgraphjs dev`. */
const WORKERS = 10;

/**
 * The server that `langgraphjs dev` starts, without the command around it: no browser, no tunnel, no network. It comes
 * from `bench/dev-server/node_modules`.
 */
export async function start({ folder }: SubjectOptions): Promise<RunningSubject> {
  const require = createRequire(new URL('../../dev-server/package.json', import.meta.url));
  const module = pathToFileURL(require.resolve(`${PACKAGE}/server`)).href;
  const { startServer } = (await import(module)) as Api;
  const graphs = fileURLToPath(new URL('../agents/graphs.ts', import.meta.url));
  const { host, cleanup } = await startServer({
    port: 0,
    host: '127.0.0.1',
    cwd: folder,
    nWorkers: WORKERS,
    graphs: { answer: `${graphs}:answerGraph` },
  });
  return { url: `http://${host}`, close: cleanup };
}
