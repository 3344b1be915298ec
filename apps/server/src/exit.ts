import { StartupError } from './operator-error.ts';

/** Ends the process with a reason: for people when they can mend it, with its origin when it is a bug. */
export function exitWithReason(reason: unknown): void {
  const known = reason instanceof StartupError;
  console.error(known ? `orders cannot go on:\n${reason.message}` : reason);
  process.exitCode = 1;
}
