import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, expect, it } from 'vitest';
import { type Answer, checkLog, checkTold } from './check.ts';
import { type PatientClient, patientClient, type Seen } from './patient-client.ts';
import { seededRandom } from './random.ts';
import { readDatabase } from './read-database.ts';
import { STORIES, type Told } from './stories.ts';
import { createVictim, type Victim } from './victim.ts';
import { overlaps } from './visits.ts';

/** `CHAOS_KILLS=500 npm run chaos`; a seed of an earlier run makes the same choices, not the same times. */
const KILLS = Number(process.env.CHAOS_KILLS ?? 5);
const SEED = Number(process.env.CHAOS_SEED ?? Date.now() % 1_000_000);
const CONVERSATIONS = 8;
/** A process lives until its callers have heard this much of it, or this long, at the most. */
const LIFE_FRAMES = 150;
const LIFE_MS = 5_000;

const folder = mkdtempSync(join(tmpdir(), 'parley-chaos-'));
const abort = new AbortController();
let victim: Victim | undefined;
afterEach(async () => {
  abort.abort();
  await victim?.kill();
  rmSync(folder, { recursive: true, force: true });
});

it(`nothing is lost and nothing happens twice in ${KILLS} kills (seed ${SEED})`, {
  timeout: 60_000 + KILLS * 10_000,
}, async () => {
  const random = seededRandom(SEED);
  const database = join(folder, 'parley.db');
  const visits = join(folder, 'visits');
  victim = createVictim({ port: await freePort(), database, visits });
  const client = patientClient(victim.url, abort.signal, random);
  await victim.start();

  const told: Told[] = [];
  let givenUp = 0;
  let killing = true;
  const conversation = async (): Promise<void> => {
    while (killing) {
      const names = Object.keys(STORIES);
      const name = names[Math.floor(random() * names.length)] ?? '';
      const ended = await STORIES[name]?.(client, random);
      for (const one of ended ?? []) one ? told.push(one) : givenUp++;
    }
  };
  const conversations = Promise.all(Array.from({ length: CONVERSATIONS }, conversation));
  for (let kill = 0; kill < KILLS; kill++) {
    await Promise.race([someLife(client, random), conversations]);
    await victim.kill();
    await victim.start();
  }
  killing = false;
  await conversations;

  const found: string[] = [];
  const answers = new Map<string, Answer>();
  const unasked = [...told];
  const ask = async (): Promise<void> => {
    for (let one = unasked.pop(); one; one = unasked.pop()) {
      const { graphId, taskId } = one;
      const task = await client.call(graphId, 'GetTask', { id: taskId });
      const replay = await replayed(client, graphId, taskId, 0);
      const from = replay[Math.floor(random() * (replay.length - 1))]?.id ?? 0;
      answers.set(taskId, { task, replay, from, rest: await replayed(client, graphId, taskId, from) });
    }
  };
  await Promise.all(Array.from({ length: CONVERSATIONS }, ask));
  await victim.kill();
  const { tasks, faults } = readDatabase(database);
  found.push(...faults, ...overlaps(visits));
  for (const stored of tasks.values()) found.push(...checkLog(stored));
  for (const one of told) {
    const stored = tasks.get(one.taskId);
    const answer = answers.get(one.taskId);
    if (!stored || !answer) found.push(`${one.taskId} is gone`);
    else found.push(...checkTold(one, stored, answer));
  }
  console.log(
    `${KILLS} kills: ${told.length} tasks as told, ${givenUp} given up, ${tasks.size} stored, ${[...tasks.values()].reduce((sum, { events }) => sum + events.length, 0)} events`,
  );
  expect(found).toEqual([]);
  expect(tasks.size).toBeGreaterThanOrEqual(told.length);
  expect(told.length).toBeGreaterThan(KILLS);
  expect(givenUp).toBeLessThan(told.length / 5);
});

/** Counted in what happens: how fast the machine is does not matter. */
async function someLife(client: PatientClient, random: () => number): Promise<void> {
  const until = client.heard() + random() * LIFE_FRAMES;
  const late = Date.now() + LIFE_MS;
  while (client.heard() < until && Date.now() < late) await sleep(random() * 10);
}

async function replayed(
  client: PatientClient,
  graphId: string,
  taskId: string,
  from: number,
): Promise<Seen[]> {
  let all: Seen[] = [];
  // A replay stops at a question, too.
  for (;;) {
    const after = all.at(-1)?.id ?? from;
    const more = await client.watch(graphId, taskId, after);
    all = [...all, ...more];
    const state = all.at(-1)?.result.statusUpdate?.status.state;
    if (state !== 'TASK_STATE_INPUT_REQUIRED') return all;
  }
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  return typeof address === 'object' && address ? address.port : 0;
}
