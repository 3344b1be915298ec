import { userInfo } from 'node:os';
import { isLine, REASON_LENGTH_MAX } from '@orders/http-adapter/settings';
import type { Auditing } from '@orders/persistence';
import { Option } from 'commander';
import { OperatorError } from '../operator-error.ts';
import type { Arguments } from './command.ts';

/** The option of every command that is recorded. */
export const REASON = new Option('--reason <text>', 'why, which is recorded');

/**
 * Returns who runs the command, as it is recorded.
 *
 * @throws {OperatorError} the reason is invalid
 */
export function byThisUser({ values }: Arguments): Auditing {
  const reason = values['reason'] ?? null;
  if (reason !== null && !isLine(reason, REASON_LENGTH_MAX))
    throw new OperatorError([`--reason: must be 1 to ${REASON_LENGTH_MAX} characters on one line`]);
  return { actor: `command:${userInfo().username}`, reason };
}
