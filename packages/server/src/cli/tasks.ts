import type { CliContext } from './context.ts';
import { addTasksCancel } from './tasks-cancel.ts';
import { addTasksGet } from './tasks-get.ts';
import { addTasksList } from './tasks-list.ts';
import { addTasksWatch } from './tasks-watch.ts';

export function addTasks(context: CliContext): void {
  const program = context.program
    .command('tasks')
    .description('list, show, cancel or follow the tasks of an agent');
  for (const add of [addTasksList, addTasksGet, addTasksCancel, addTasksWatch]) add({ ...context, program });
}
