export { descendantsOf, markedProcesses, processOf, type RunningProcess } from './processes.ts';
export { endingWithParent } from './ending-with-parent.ts';
export { removeFolder } from './remove-folder.ts';
