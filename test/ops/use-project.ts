import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach } from 'vitest';
import { buildParley, endParleys } from '../../packages/server/test/parley-process.ts';
import { createProject, type Project } from '../../packages/server/test/project.ts';

export interface UsedProject {
  readonly folder: string;
  at(name: string): string;
  write: Project['write'];
}

/** A built command, and a project for each test; both its files and its processes are gone after the test. */
export function useProject(files: { [name: string]: string | object }): UsedProject {
  let project: Project;
  beforeAll(buildParley);
  beforeEach(() => {
    project = createProject({ 'package.json': { type: 'module' }, ...files });
  });
  afterEach(async () => {
    await endParleys();
    project.remove();
  });
  afterAll(endParleys);
  return {
    get folder() {
      return project.folder;
    },
    at: (name) => join(project.folder, name),
    write: (name, content) => project.write(name, content),
  };
}
