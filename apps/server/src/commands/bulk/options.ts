import { OperatorError } from '../../operator-error.ts';
import type { Arguments } from '../command.ts';

/** The forms of a file of orders. */
type Format = 'ndjson' | 'csv';

/**
 * Parses `--format`. Default: `ndjson`.
 *
 * @throws {OperatorError} it is another one
 */
export function readFormat({ values: { format = 'ndjson' } }: Arguments): Format {
  if (format === 'ndjson' || format === 'csv') return format;
  throw new OperatorError(['--format: must be ndjson or csv']);
}
