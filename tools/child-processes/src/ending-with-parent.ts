/**
 * A shell that leaves a watch behind and then becomes the program, whose process id is therefore the shell's. The watch
 * waits for the end of the input that the program would have had, which is the end of the parent, even by SIGKILL. It
 * keeps nothing else open. The program itself has no input.
 */
const WATCH = `exec 3<&0
{ trap '' HUP INT TERM; read -r _ <&3; kill -KILL $$; } >/dev/null 2>&1 &
exec "$@" 3<&- </dev/null`;

/**
 * Returns the command line of a program that ends by SIGKILL when this process ends, however it ends. To be spread into
 * `spawn` or `execFile`, with a pipe as `stdio[0]`: without one, the program ends at once. Its process id and its
 * signals are those of the child. A program that does not exist ends with code 127. Needs `sh`.
 */
export function endingWithParent(program: string, args: readonly string[]): ['sh', string[]] {
  return ['sh', ['-c', WATCH, 'end-with-parent', program, ...args]];
}
