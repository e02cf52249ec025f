import { basename, dirname, relative, sep } from 'node:path';
import { watch } from 'chokidar';

export interface ProjectWatcher {
  ready: Promise<void>;
  close(): Promise<void>;
}

/** An editor writes a file in several steps, a checkout many files. */
const SETTLE_MS = 100;

/** Watches a configuration's folder and the folders of its graphs. `changed` gets the path of one changed file. */
export function watchProject(
  config: { file: string; graphs: { [graphId: string]: { file: string } } },
  changed: (file: string) => void,
): ProjectWatcher {
  const root = dirname(config.file);
  const graphFolders = Object.values(config.graphs).map(({ file }) => dirname(file));
  const folders = [...new Set([root, ...graphFolders.filter((folder) => isOutside(root, folder))])];
  let timer: NodeJS.Timeout | undefined;
  const watcher = watch(folders, {
    ignoreInitial: true,
    ignored: (path) => folders.every((folder) => isIgnored(relative(folder, path))),
  });
  watcher.on('all', (event, path) => {
    if (event === 'addDir') return;
    clearTimeout(timer);
    timer = setTimeout(() => changed(relative(root, path)), SETTLE_MS);
  });
  return {
    ready: new Promise((resolve) => {
      watcher.once('ready', () => resolve());
    }),
    close: async () => {
      clearTimeout(timer);
      await watcher.close();
    },
  };
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
