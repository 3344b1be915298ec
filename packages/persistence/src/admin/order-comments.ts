import type { KeyReused, OrderComment, OrderNotFound, Owner, Unavailable } from '@orders/domain';
import { uuidv7Ids } from '@orders/domain/runtime';
import { err, ok, type Result, type ResultAsync } from 'neverthrow';
import type { OrdersDatabase } from '../database/database.ts';
import {
  addComment,
  type Commented,
  commentsOfOrders,
  commentStatements,
  toComment,
} from '../orders/order-comments.ts';
import { orUnavailable } from '../postgres/postgres-errors.ts';
import { callOf } from '../sql/database-function.ts';
import type { Auditing } from './audit.ts';

/** Error: the order has as many comments as it can. */
export interface TooManyComments {
  readonly type: 'too_many_comments';
}

/** A comment to write. */
export interface NewOrderComment {
  /** A UUID in lower case. */
  readonly order_id: string;
  readonly text: string;
  /** Makes retries safe: unique for the order, as long as it has the comment. Default: none. */
  readonly key?: string | undefined;
}

/** A comment, which an earlier request with the same key may have written. */
export interface AddedComment {
  readonly comment: OrderComment;
  readonly replayed: boolean;
}

/** The errors of writing a comment. */
export type AddCommentError = OrderNotFound | TooManyComments | KeyReused;

/** The comments of operators about orders. */
export interface OrderComments {
  /** Writes a comment, and the record of it, or neither. With a key that the same text was written with, nothing. */
  add(owner: Owner, comment: NewOrderComment, by: Auditing): ResultAsync<AddedComment, AddCommentError | Unavailable>;
  /** Returns the first comments of an order by id, after one of them or from the first on, also after its deletion. */
  list(
    owner: Owner,
    orderId: string,
    page: { readonly after: string | null; readonly limit: number },
  ): ResultAsync<readonly OrderComment[], Unavailable>;
}

const IDS = uuidv7Ids();

/** Returns the comments in this database. */
export function postgresOrderComments(database: OrdersDatabase): OrderComments {
  const { orm, primary } = database;
  const statements = commentStatements(orm);
  const add = callOf<Commented>(orm, addComment);
  const write = async (
    owner_id: Owner,
    { order_id, text, key }: NewOrderComment,
    { actor: author, reason }: Auditing,
  ): Promise<Result<AddedComment, AddCommentError>> => {
    const comment = { id: IDS.next(), created_at: new Date().toISOString(), author, text };
    const values = { owner_id, order_id, ...comment, key: key ?? '', reason, record_id: IDS.next() };
    const [row] = await add(primary, values);
    if (row?.outcome === 'written') return ok({ comment, replayed: false });
    if (row?.outcome === 'too_many') return err({ type: 'too_many_comments' });
    const [found] = key === undefined ? [] : await statements.byKey(primary, { owner_id, order_id, key });
    if (row?.outcome !== 'key_used' || !found) return err({ type: 'order_not_found', id: order_id });
    // One that was erased since is any text.
    if (found.text !== null && found.text !== text) return err({ type: 'idempotency_key_reused' });
    return ok({ comment: toComment(found), replayed: true });
  };
  return {
    add: (...given) => orUnavailable(write(...given)).andThen((result) => result),
    list: commentsOfOrders(statements, primary).listComments,
  };
}
