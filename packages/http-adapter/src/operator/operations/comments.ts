import { COMMENT_LENGTH_MAX, COMMENTS_MAX } from '@orders/domain';
import { Type } from 'typebox';
import { WRITE } from '../../api/operation.ts';
import { COMMENT } from '../../api/customers/customer-data-schemas.ts';
import { TEXT } from '../../api/schemas.ts';
import { toProblem } from '../../problems/from-domain.ts';
import { JSON_TYPES } from '../../request/media-types.ts';
import { readChange } from '../../request/request-parameters.ts';
import { ownerOf } from '../../request-state.ts';
import { replayHeader, uncached } from '../../response/responses.ts';
import type { OperatorOperation, OrderCommentStore } from '../operator.ts';
import { byOperator } from '../operator-principals.ts';
import { readBody, type ReadMember } from './read-body.ts';

const Text = Type.String({ ...TEXT, minLength: 1, maxLength: COMMENT_LENGTH_MAX });

/** A comment of an operator about an order. */
const OrderComment = Type.Object(COMMENT, { title: 'OrderComment' });

/** What operations on comments use. */
export interface CommentParts {
  readonly comments: OrderCommentStore;
}

const readText: ReadMember<string> = (input, name, invalid) => invalid.readText(input, name, 1, COMMENT_LENGTH_MAX);

const TOO_MANY = { field: 'text', code: 'too_long', message: `an order has at most ${COMMENTS_MAX} comments` } as const;

/** Returns the operation that comments an order. */
export function commentOperations({ comments }: CommentParts): readonly OperatorOperation[] {
  return [
    {
      id: 'comment_order',
      summary: 'Comment an order',
      description: `Adds a text for other operators, without a version and an event: at most ${COMMENTS_MAX.toLocaleString('en')}. It is part of the data of the buyer, and an erasure empties it. A retry with the same \`Idempotency-Key\` adds nothing.`,
      method: 'POST',
      path: '/admin/v1/orders/:id/comments',
      role: 'support',
      about: 'owner',
      changes: true,
      reveals: () => false,
      cost: WRITE,
      supports: ['Idempotency-Key'],
      body: {
        types: JSON_TYPES,
        schema: Type.Object({ text: Text }, { title: 'NewOrderComment', additionalProperties: false }),
        required: true,
        examples: { call: { text: 'The buyer called: a neighbour has the parcel.' } },
      },
      response: { schema: OrderComment },
      problems: ['order_not_found'],
      handle: (request) =>
        readChange(request)
          .andThen((input) => readBody(request, { text: readText }).map(({ text }) => ({ ...input, text })))
          .asyncAndThen(({ id, text, options: { idempotencyKey: key } }) =>
            comments
              .add(ownerOf(request), { order_id: id.toString(), text, key }, byOperator(request))
              .mapErr((error) =>
                toProblem(
                  error.type === 'too_many_comments' ? { type: 'validation_failed', errors: [TOO_MANY] } : error,
                ),
              ),
          )
          .andThen(({ comment, replayed }) =>
            uncached(comment).map((response) => ({
              ...response,
              headers: { ...response.headers, ...replayHeader(replayed) },
            })),
          ),
    },
  ];
}
