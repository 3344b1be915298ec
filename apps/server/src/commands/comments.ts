import { OperatorError } from '../operator-error.ts';
import { byThisUser, REASON } from './audited.ts';
import type { Command } from './command.ts';
import { databaseResult } from './database-result.ts';
import { OWNER, readOwner } from './owner.ts';
import { print } from './print.ts';

/** Writes a comment about an order, for the operators who look at it later. */
export const commentOrder: Command = {
  usage: 'comment <id> <text>',
  records: 'itself',
  about: 'writes a comment about an order, for those who look at it later',
  options: [OWNER, REASON],
  examples: ['comment 019b2a4e-8f00-7000-8000-0000000000a1 "a neighbour has the parcel" --owner shop'],
  prepare: async (args) => {
    const { COMMENT_LENGTH_MAX, COMMENTS_MAX, InvalidFields } = await import('@orders/domain');
    const [owner, by, [given, input]] = [await readOwner(args), byThisUser(args), args.positionals];
    const invalid = new InvalidFields();
    const order_id = invalid.readUuid(given, 'ID') ?? '';
    const text = invalid.readText(input, 'TEXT', 1, COMMENT_LENGTH_MAX) ?? '';
    const read = invalid.toResult({ order_id, text });
    if (read.isErr()) throw new OperatorError(read.error.errors.map(({ field, message }) => `${field}: ${message}`));
    return async ({ database }) => {
      const { postgresOrderComments } = await import('@orders/persistence');
      const added = await postgresOrderComments(database).add(owner, read.value, by);
      if (added.isErr() && added.error.type === 'order_not_found')
        throw new OperatorError([`ID: ${owner} has no order ${order_id}`]);
      if (added.isErr() && added.error.type === 'too_many_comments')
        throw new OperatorError([`ID: ${order_id} has ${COMMENTS_MAX} comments already`]);
      await print(`${(await databaseResult(added)).comment.id}\n`);
    };
  },
};
