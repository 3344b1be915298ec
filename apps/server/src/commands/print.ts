import { OperatorError } from '../operator-error.ts';
import { printable } from '../terminal.ts';

/**
 * Prints on standard output. Control characters are spelled, which `isData` keeps unless it goes to a terminal: a program
 * or a file gets what is stored.
 *
 * @throws {OperatorError} the output cannot be written. The error has no message and exit code 0 when the reader has
 *   closed the output, as `head` does
 */
export async function print(text: string, { isData = false } = {}): Promise<void> {
  const shown = isData && !process.stdout.isTTY ? text : printable(text);
  const cause = await new Promise<NodeJS.ErrnoException | null | undefined>((resolve) => {
    process.stdout.write(shown, resolve);
  });
  if (!cause) return;
  if (cause.code === 'EPIPE') throw new OperatorError([], { cause, exitCode: 0 });
  throw new OperatorError([`standard output: ${cause.message}`], { cause });
}

/** Returns how many columns standard output has: those of a terminal, and any number elsewhere. */
export function outputColumns(): number {
  const { isTTY, columns } = process.stdout;
  return isTTY && columns > 0 ? columns : Infinity;
}
