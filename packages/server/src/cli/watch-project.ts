import { existsSync, realpathSync } from 'node:fs';
import { basename, dirname, relative, sep } from 'node:path';
import { watch } from 'chokidar';

export interface ProjectWatcher {
  ready: Promise<void>;
  close(): Promise<void>;
}

/** An editor writes a file in several steps, a checkout many files. */
const SETTLE_MS = 100;

/** Watches a configuration's folder and the folders of its graphs. `changed` gets each changed file, and how to call it. */
export function watchProject(
  config: { file: string; graphs: { [graphId: string]: { file: string } } },
  changed: (path: string, name: string) => void,
): ProjectWatcher {
  // Modules are told by their real path.
  const root = realFolder(config.file);
  const graphFolders = Object.values(config.graphs).map(({ file }) => realFolder(file));
  const folders = [...new Set([root, ...graphFolders.filter((folder) => isOutside(root, folder))])];
  const settling = new Map<string, NodeJS.Timeout>();
  const watcher = watch(folders, {
    ignoreInitial: true,
    ignored: (path) => folders.every((folder) => isIgnored(relative(folder, path))),
  });
  watcher.on('all', (event, path) => {
    if (event === 'addDir') return;
    clearTimeout(settling.get(path));
    const settle = (): void => {
      settling.delete(path);
      changed(path, relative(root, path));
    };
    settling.set(path, setTimeout(settle, SETTLE_MS));
  });
  return {
    ready: new Promise((resolve) => {
      watcher.once('ready', () => resolve());
    }),
    close: async () => {
      for (const timer of settling.values()) clearTimeout(timer);
      await watcher.close();
    },
  };
}

function realFolder(file: string): string {
  const folder = dirname(file);
  return existsSync(folder) ? realpathSync(folder) : folder;
}

function isOutside(root: string, folder: string): boolean {
  return relative(root, folder).split(sep)[0] === '..';
}

/** Packages, and what hides behind a dot (our database, git), except `.env` files. */
function isIgnored(path: string): boolean {
  const segments = path.split(sep);
  if (segments[0] === '..') return true;
  const name = basename(path);
  const folders = name.startsWith('.env') ? segments.slice(0, -1) : segments;
  return folders.some((segment) => segment === 'node_modules' || /^\.[^.]/.test(segment));
}
