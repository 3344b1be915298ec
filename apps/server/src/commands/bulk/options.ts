import { OperatorError } from '../../operator-error.ts';
import type { Arguments } from '../command.ts';

/** The forms of a file of orders. */
type Format = 'ndjson' | 'csv';

/**
 * Parses `--owner`.
 *
 * @throws {OperatorError} it is missing or invalid
 */
export async function readOwner({ values: { owner = '' } }: Arguments): Promise<string> {
  const { isOwner } = await import('@orders/domain');
  if (isOwner(owner)) return owner;
  throw new OperatorError(['--owner: must be 1 to 255 printable ASCII characters']);
}

/**
 * Parses `--format`. Default: `ndjson`.
 *
 * @throws {OperatorError} it is another one
 */
export function readFormat({ values: { format = 'ndjson' } }: Arguments): Format {
  if (format === 'ndjson' || format === 'csv') return format;
  throw new OperatorError(['--format: must be ndjson or csv']);
}
