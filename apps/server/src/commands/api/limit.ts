import { Option } from 'commander';
import type { Arguments } from '../command.ts';
import { OperatorError } from '../../operator-error.ts';

export const LIMIT = new Option('--limit <number>', 'the most elements to list, up to 10000').default('20');

/**
 * Parses `--limit`, a number of elements from 1 to 10,000.
 *
 * @throws {OperatorError} it is none
 */
export function readLimit({ values: { limit = '' } }: Arguments): number {
  if (/^[1-9][0-9]{0,4}$/.test(limit) && Number(limit) <= 10_000) return Number(limit);
  throw new OperatorError(['--limit: must be a whole number from 1 to 10000']);
}

/** Reads the first `limit` elements. */
export async function firstOf<T>(elements: AsyncIterable<T>, limit: number): Promise<readonly T[]> {
  const read: T[] = [];
  for await (const element of elements) {
    read.push(element);
    if (read.length === limit) break;
  }
  return read;
}
