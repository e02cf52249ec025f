import { execFileSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import type { TestContext } from 'vitest';

/** A file system of its own size at `folder`, for as long as `body` runs. Only root may mount one: skipped otherwise. */
export async function withSmallDisk(
  context: TestContext,
  folder: string,
  body: () => Promise<void>,
  { kib = 1_024 }: { kib?: number } = {},
): Promise<void> {
  mkdirSync(folder);
  if (!mounted(['-t', 'tmpfs', '-o', `size=${kib}k`, 'tmpfs', folder])) {
    const why = 'NOT TESTED: a small disk cannot be mounted here (needs root on Linux)';
    console.warn(`${context.task.name}: ${why}`);
    context.skip(why);
    return;
  }
  try {
    await body();
  } finally {
    execFileSync('umount', ['-l', folder]);
  }
}

function mounted(args: string[]): boolean {
  try {
    execFileSync('mount', args, { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}
