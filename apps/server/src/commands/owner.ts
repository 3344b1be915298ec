import { Option } from 'commander';
import { OperatorError } from '../operator-error.ts';
import type { Arguments } from './command.ts';

export const OWNER = new Option('--owner <owner>', 'the owner of the resources, such as shop');

/** What is wrong with an `--owner` that is none. */
export const OWNER_FAULT = '--owner: must be 1 to 255 printable ASCII characters';

/**
 * Parses `--owner`.
 *
 * @throws {OperatorError} it is missing or invalid
 */
export async function readOwner({ values: { owner = '' } }: Arguments): Promise<string> {
  const { isOwner } = await import('@orders/domain');
  if (isOwner(owner)) return owner;
  throw new OperatorError([OWNER_FAULT]);
}
