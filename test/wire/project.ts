import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { afterAll, beforeAll } from 'vitest';

export interface Projects {
  /** Where they are. */
  readonly folder: string;
  /** Writes a project and returns the path of its `langgraph.json`; text is written as it is. */
  write(config: unknown, files?: { [name: string]: string }): Promise<string>;
}

/** Projects in a folder that is gone after the tests of a file. Their graphs import LangGraph as an installed one would. */
export function createProjects(): Projects {
  let folder = '';
  let count = 0;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'parley-config-'));
    await symlink(resolve('node_modules'), join(folder, 'node_modules'));
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));
  return {
    get folder() {
      return folder;
    },
    write: async (config, files = {}) => {
      const home = join(folder, `p${count++}`);
      const text = typeof config === 'string' ? config : JSON.stringify(config);
      for (const [name, content] of Object.entries({ 'langgraph.json': text, ...files })) {
        await mkdir(dirname(join(home, name)), { recursive: true });
        await writeFile(join(home, name), content);
      }
      return join(home, 'langgraph.json');
    },
  };
}
