import { type Subject, startSubject } from '../driver/process.ts';
import type { SubjectName } from '../subjects/subject.ts';
import type { ScenarioOptions } from './scenario.ts';

/** Something to measure: a name for the table and the server behind it. */
export interface Entry {
  name: string;
  subject: SubjectName;
  /** Tasks that its store holds before it starts. */
  tasks?: number;
}

export interface Started<E extends Entry> {
  entry: E;
  server: Subject;
}

/** Starts all that can be started, runs `body`, and ends all of them. */
export async function withSubjects<E extends Entry, T>(
  options: ScenarioOptions,
  entries: readonly E[],
  body: (started: Started<E>[], missing: string[]) => Promise<T>,
): Promise<T> {
  const slots: (Started<E> | undefined)[] = entries.map(() => undefined);
  const started = (): Started<E>[] => slots.filter((slot) => slot !== undefined);
  const missing: string[] = [];
  try {
    await Promise.all(
      entries.map(async (entry, index) => {
        options.progress(`starting ${entry.name}`);
        const { tasks = 0 } = entry;
        try {
          slots[index] = {
            entry,
            server: await startSubject(entry.subject, { tasks, cpuProf: options.cpuProf }),
          };
        } catch (error) {
          missing.push(`${entry.name} could not be started: ${(error as Error).message}`);
        }
      }),
    );
    return await body(started(), missing);
  } finally {
    for (const { server } of started()) {
      if (options.cpuProf !== undefined) await server.stop();
      await server.remove();
    }
  }
}
