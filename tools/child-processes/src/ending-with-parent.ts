/**
 * A shell that starts a watchdog and then becomes the program, which therefore has the shell's process id. The watchdog
 * reads the input intended for the program. Its end means the end of the parent, even by SIGKILL. The watchdog keeps
 * nothing else open, and the program has no input.
 */
const WATCHDOG_SCRIPT = `exec 3<&0
{ trap '' HUP INT TERM; read -r _ <&3; kill -KILL $$; } >/dev/null 2>&1 &
exec "$@" 3<&- </dev/null`;

/**
 * Returns the command line of a program that is killed when this process ends, for whatever reason. Spread it into
 * `spawn` or `execFile`, with a pipe as `stdio[0]`; without a pipe, the program ends at once. Its process id and its
 * signals are those of the child. A program that does not exist ends with code 127. Needs `sh`.
 */
export function endingWithParent(program: string, args: readonly string[]): ['sh', string[]] {
  return ['sh', ['-c', WATCHDOG_SCRIPT, 'end-with-parent', program, ...args]];
}
