import { type FileHandle, open, rename, rm } from 'node:fs/promises';
import { OperatorError, reasonOf } from '../../operator-error.ts';
import { print } from '../print.ts';

/** Where the results of a command go. */
export interface Output {
  /** Writes text, and waits until more can be written. */
  readonly write: (text: string) => Promise<void>;
  /** Keeps what was written. Without it, a file is not there, or as it was before. */
  readonly finish: () => Promise<void>;
  /** Discards what is not kept. */
  readonly close: () => Promise<void>;
}

/**
 * Opens the file of an option for its owner alone to read, or standard output without one. The file is written beside its name and renamed,
 * so that nothing ever reads half of it.
 *
 * @throws {OperatorError} it cannot be written
 */
export async function openOutput(file: string | undefined, option = '--out'): Promise<Output> {
  if (file === undefined) return { write: (text) => print(text, { isData: true }), finish: nothing, close: nothing };
  const part = `${file}.${process.pid}.part`;
  const failed = (cause: unknown): never => {
    throw new OperatorError([`${option}: ${reasonOf(cause)}`], { cause });
  };
  const handle: FileHandle = await open(part, 'wx', 0o600).catch(failed);
  return {
    write: async (text) => {
      await handle.appendFile(text).catch(failed);
    },
    finish: async () => {
      await handle.sync().catch(failed);
      await rename(part, file).catch(failed);
    },
    close: async () => {
      await handle.close();
      await rm(part, { force: true });
    },
  };
}

function nothing(): Promise<void> {
  return Promise.resolve();
}
