import { COMMENTS_MAX, type OrderComment, type OrderRepository, type Owner } from '@orders/domain';
import type { Executor } from '../postgres/executor.ts';
import { orUnavailable } from '../postgres/postgres-errors.ts';
import { databaseFunction } from '../sql/database-function.ts';
import { prepare } from '../sql/statement.ts';
import { sql } from '../sql/sql.ts';
import type { Orm } from '../tables/orm.ts';
import { eraseComments } from '../tables/personal-data.ts';
import { readTimestamp } from '../tables/timestamp-type.ts';

/** With the erasure of an order, in the function of that. */
export const ERASE_COMMENTS = `${eraseComments('m.owner_id = p_owner_id and m.order_id = p_id')};`;

/** What became of a comment: it was written, or its key is that of another one, or why not. */
export type Commented = 'written' | 'key_used' | 'order_not_found' | 'too_many';

/**
 * Writes a comment, and the record of it. The order is locked, so that an erasure finds the comment or is before it, and so
 * that comments at the same time are counted.
 */
export const addComment = databaseFunction('order_comments_add', {
  parameters: {
    owner_id: 'text',
    order_id: 'uuid',
    id: 'uuid',
    created_at: 'timestamptz(3)',
    author: 'text',
    text: 'text',
    key: 'text',
    reason: 'text',
    record_id: 'uuid',
  },
  returns: 'text',
  body: `begin
    perform from our.orders where owner_id = p_owner_id and id = p_order_id for no key update;
    if not found then
      return 'order_not_found';
    end if;
    if p_key <> '' then
      if exists (select from our.order_comments where owner_id = p_owner_id and order_id = p_order_id and key = p_key) then
        return 'key_used';
      end if;
    end if;
    if (select count(*) from our.order_comments where owner_id = p_owner_id and order_id = p_order_id) >= ${COMMENTS_MAX} then
      return 'too_many';
    end if;
    insert into our.order_comments (owner_id, order_id, id, created_at, author, text, key)
    values (p_owner_id, p_order_id, p_id, p_created_at, p_author, p_text, nullif(p_key, ''));
    insert into our.owner_audit (owner_id, id, occurred_at, actor, action, subject, reason)
    values (p_owner_id, p_record_id, p_created_at, p_author, 'comment_order', p_order_id::text, p_reason);
    return 'written';
  end`,
});

/** An order whose comments are read. */
export interface OfOrder {
  readonly owner_id: Owner;
  readonly order_id: string;
}

const COLUMNS = sql`m.id, m.created_at, m.author, m.text`;
/** Before every id. */
const FIRST = '00000000-0000-0000-0000-000000000000';

/** Returns the statements that read comments. */
export function commentStatements(orm: Orm) {
  return {
    page: prepare<OfOrder & { readonly after: string; readonly limit: number }, OrderComment>(orm)`
        select ${COLUMNS} from our.order_comments as m
        where m.owner_id = ${'owner_id'} and m.order_id = ${'order_id'} and m.id > ${'after'}::uuid
        order by m.id limit ${'limit'}::int`,
    byKey: prepare<OfOrder & { readonly key: string }, OrderComment>(orm)`
        select ${COLUMNS} from our.order_comments as m
        where m.owner_id = ${'owner_id'} and m.order_id = ${'order_id'} and m.key = ${'key'}`,
  };
}

/** Returns a comment as the driver returned its row. */
export function toComment({ created_at, ...row }: OrderComment): OrderComment {
  const { id, ...others } = row;
  return { id, created_at: readTimestamp(created_at), ...others };
}

/** Returns how the repository of orders reads comments. */
export function commentsOfOrders(
  { page }: Pick<ReturnType<typeof commentStatements>, 'page'>,
  primary: Executor,
): Required<Pick<OrderRepository, 'listComments'>> {
  return {
    listComments: (owner_id, order_id, { after, limit }) =>
      orUnavailable(page(primary, { owner_id, order_id, after: after ?? FIRST, limit })).map((rows) =>
        rows.map(toComment),
      ),
  };
}
