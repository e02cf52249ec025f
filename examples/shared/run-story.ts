import { pathToFileURL } from 'node:url';
import { serveExamples } from './serve.ts';

/**
 * Runs a story if its module is the one that was started: against the server at `PARLEY_URL`, or one of its own. The
 * process ends with 1 if the story does not end as it should.
 */
export async function runStory(
  moduleUrl: string,
  story: (baseUrl: string) => Promise<unknown>,
): Promise<void> {
  if (moduleUrl !== pathToFileURL(process.argv[1] ?? '').href) return;
  const { PARLEY_URL } = process.env;
  if (PARLEY_URL) {
    await story(PARLEY_URL);
    return;
  }
  const server = await serveExamples();
  try {
    await story(server.url);
  } finally {
    await server.close();
  }
}
