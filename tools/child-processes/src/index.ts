export { descendantsOf, markedProcesses, stillRunning } from './processes.ts';
export { endingWithParent } from './ending-with-parent.ts';
export { killWhenRunning } from './kill-when-running.ts';
export { removeFolder } from './remove-folder.ts';
