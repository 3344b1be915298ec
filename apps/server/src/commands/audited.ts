import { userInfo } from 'node:os';
import { isLine, REASON_LENGTH_MAX } from '@orders/http-adapter/settings';
import type { AuditEntry, Auditing, OrdersDatabase } from '@orders/persistence';
import { Option } from 'commander';
import { OperatorError } from '../operator-error.ts';
import type { Arguments } from './command.ts';
import { databaseResult } from './database-result.ts';

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

/** The actor of the changes of a command; the record has the user. */
export const BY_COMMAND = { actor: 'command' };

/**
 * Records a command.
 *
 * @throws {OperatorError} it cannot be recorded
 */
export async function recordCommand(
  database: OrdersDatabase,
  args: Arguments,
  entry: Pick<AuditEntry, 'action' | 'subject'>,
): Promise<void> {
  const { postgresAudit } = await import('@orders/persistence');
  const { owner = null } = args.values;
  await databaseResult(postgresAudit(database).record({ owner, ...byThisUser(args), ...entry }));
}
