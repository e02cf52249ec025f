import { readJson, serve } from './http.ts';
import type { RunningSubject } from './subject.ts';

/** A JSON body in, its `id` and half a kilobyte out: what HTTP costs by itself. */
export async function start(): Promise<RunningSubject> {
  const padding = 'x'.repeat(500);
  return serve(async (request, response) => {
    const { id } = await readJson<{ id: unknown }>(request);
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ jsonrpc: '2.0', id, result: { state: 'TASK_STATE_COMPLETED', padding } }));
  });
}
