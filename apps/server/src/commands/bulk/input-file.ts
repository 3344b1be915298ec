import { randomUUID } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { open, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { addAbortSignal, type Readable } from 'node:stream';
import { OperatorError, reasonOf } from '../../operator-error.ts';
import type { OpenInput } from './input-records.ts';

/** An input that can be opened. */
export interface InputFile {
  readonly open: OpenInput;
  /** Its bytes, or 0 if they are not known. */
  readonly size: number;
  readonly close: () => Promise<void>;
}

/**
 * Prepares to read a file, or standard input for `-`, until the signal ends it. What is no file, such as a pipe, is kept in
 * a temporary one if it is opened `again`.
 *
 * @throws {OperatorError} it cannot be read
 */
export async function inputFile(file: string, again: boolean, signal: AbortSignal): Promise<InputFile> {
  const found = file === '-' ? null : await stat(file).catch(cannotRead);
  const stream = () => addAbortSignal(signal, file === '-' ? process.stdin : createReadStream(file));
  const close = () => Promise.resolve();
  if (found?.isFile()) return { open: () => chunksOf(stream(), signal), size: found.size, close };
  if (!again) return { open: () => chunksOf(stream(), signal), size: 0, close };
  const path = join(tmpdir(), `orders-import-${randomUUID()}`);
  const handle = await open(path, 'wx+', 0o600).catch(cannotRead);
  try {
    // Nothing else opens it, and the system removes it with the process.
    await rm(path);
    for await (const chunk of chunksOf(stream(), signal)) await handle.appendFile(chunk);
  } catch (cause) {
    await handle.close();
    throw cause;
  }
  const { size } = await handle.stat();
  const reopened = () => handle.createReadStream({ start: 0, autoClose: false });
  return { open: () => chunksOf(addAbortSignal(signal, reopened()), signal), size, close: () => handle.close() };
}

async function* chunksOf(input: Readable, signal: AbortSignal): AsyncGenerator<Buffer> {
  try {
    for await (const chunk of input) yield chunk;
  } catch (cause) {
    signal.throwIfAborted();
    cannotRead(cause);
  }
}

function cannotRead(cause: unknown): never {
  throw new OperatorError([`FILE: ${reasonOf(cause)}`], { cause });
}
