import { OperatorError } from '../operator-error.ts';

/**
 * Prints on standard output.
 *
 * @throws {OperatorError} the output cannot be written. The error has no message and exit code 0 when the reader has
 *   closed the output, as `head` does
 */
export async function print(text: string): Promise<void> {
  const cause = await new Promise<NodeJS.ErrnoException | null | undefined>((resolve) => {
    process.stdout.write(text, resolve);
  });
  if (!cause) return;
  if (cause.code === 'EPIPE') throw new OperatorError([], { cause, exitCode: 0 });
  throw new OperatorError([`standard output: ${cause.message}`], { cause });
}
