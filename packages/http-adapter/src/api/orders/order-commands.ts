import type { ChangeOptions, OrderDefinition, OrderWritten, Owner, UntypedDomain } from '@orders/domain';
import { ok, type ResultAsync } from 'neverthrow';
import type { DomainError } from '../../problems/entry.ts';
import { readJson } from '../../request/json-body.ts';
import { JSON_TYPES } from '../../request/media-types.ts';
import { CHANGE_HEADERS, type PathId, readChange } from '../../request/request-parameters.ts';
import { ownerOf } from '../../request-state.ts';
import { changed, toResponse } from '../../response/responses.ts';
import { type Operation, WRITE } from '../operation.ts';
import { AddedItems, Cancellation, ItemReturn, NewFulfillment, OrderAdjustments } from './order-bodies.ts';
import { CANCEL_REASON, FURTHER_ITEM, ONE_ITEM, orderExamples, REFUND } from './order-examples.ts';
import { orderSchemas } from './order-schemas.ts';

/** What a command of an order takes besides its owner. */
interface Input {
  readonly id: PathId;
  /** The id of the part in the path; empty if the path has none. */
  readonly partId: PathId;
  readonly body: unknown;
  readonly options: ChangeOptions;
}

/** One command of an order. All of them return the order. */
interface Command extends Pick<Operation, 'id' | 'summary' | 'description' | 'path' | 'problems'> {
  /** Absent for a command that has no input. */
  readonly body?: Omit<NonNullable<Operation['body']>, 'types'>;
  /** Examples of the order afterwards. Default: that of its schema. */
  readonly after?: Readonly<Record<string, unknown>>;
  readonly run: (owner: Owner, input: Input) => ResultAsync<OrderWritten<OrderDefinition>, DomainError>;
}

/** The problems of a change to the cancel status. */
export const CANCEL_PROBLEMS = ['order_already_cancelled', 'invalid_status_transition'] as const;

const ADJUSTMENT_PROBLEMS = [
  'too_many_adjustments',
  'adjustment_sign',
  'negative_total',
  'amount_out_of_range',
  'currency_mismatch',
] as const;

/** Returns the operations that are commands of an order. */
export function orderCommands(domain: UntypedDomain): readonly Operation[] {
  const { definition } = domain;
  return commandsOf(domain).map(({ body, after, run, ...command }) => ({
    ...command,
    method: 'POST',
    scope: 'orders:write',
    cost: WRITE,
    supports: CHANGE_HEADERS,
    body: body ? { types: JSON_TYPES, ...body } : null,
    response: { schema: orderSchemas(definition).Order, ...(after && { examples: after }) },
    handle: (request) =>
      readChange(request)
        .andThen((input) => {
          const read = body ? readJson(request, body.required ? undefined : {}) : ok(undefined);
          return read.map((sent) => ({ ...input, body: sent }));
        })
        .asyncAndThen((input) =>
          toResponse(run(ownerOf(request), input), ({ order, replayed }) => changed(order, replayed)),
        ),
  }));
}

function commandsOf(domain: UntypedDomain): readonly Command[] {
  const { cancel } = domain.definition;
  return [
    {
      id: 'cancel_order',
      summary: 'Cancel an order or items of it',
      description: `Without \`items\` equivalent to a change with \`status: ${cancel}\`: totals stay, and a second cancellation is 409. With \`items\` it cancels these quantities, lowers the totals and keeps the status.`,
      path: '/orders/:id/cancel',
      body: {
        schema: Cancellation,
        required: false,
        examples: { with_a_reason: { reason: CANCEL_REASON }, one_of_two: { items: [ONE_ITEM] } },
      },
      after: { [`${cancel}_order`]: orderExamples(domain.definition).AFTER_CANCELLATION },
      problems: [
        ...CANCEL_PROBLEMS,
        'order_not_modifiable',
        'quantity_not_available',
        'nothing_would_remain',
        ...ADJUSTMENT_PROBLEMS,
      ],
      run: (owner, { id, body, options }) => domain.cancelOrder(owner, id, body, options),
    },
    {
      id: 'adjust_order',
      summary: 'Adjust an order',
      description:
        'Adds charges, reductions or refunds, in every status. Adjustments are never changed or removed: a further one of the same type reverses a charge.',
      path: '/orders/:id/adjustments',
      body: { schema: OrderAdjustments, required: true, examples: { refund: { adjustments: [REFUND] } } },
      problems: ADJUSTMENT_PROBLEMS,
      run: (owner, { id, body, options }) => domain.adjustOrder(owner, id, body, options),
    },
    {
      id: 'add_items',
      summary: 'Add items to an order',
      description:
        'Appends lines, in every status but that of a cancelled order. Lines that the order has stay as they are: to change one, cancel its quantity and add another.',
      path: '/orders/:id/items',
      body: {
        schema: AddedItems,
        required: true,
        examples: {
          with_a_discount: {
            items: [FURTHER_ITEM],
            adjustments: [{ type: 'discount', name: 'Second mug', amount: { amount: -300, currency: 'EUR' }, item: 0 }],
          },
        },
      },
      problems: ['order_not_modifiable', 'too_many_items', ...ADJUSTMENT_PROBLEMS],
      run: (owner, { id, body, options }) => domain.addItems(owner, id, body, options),
    },
    {
      id: 'fulfill_items',
      summary: 'Fulfil items of an order',
      description:
        'Records that items left, such as a parcel. Keeps the status. Not possible for items that are fulfilled or cancelled, nor for a cancelled order.',
      path: '/orders/:id/fulfillments',
      body: {
        schema: NewFulfillment,
        required: false,
        examples: {
          the_rest: { tracking: { carrier: 'Post', number: 'RR123456785DE' } },
          one_of_two: { items: [ONE_ITEM] },
        },
      },
      problems: ['order_not_modifiable', 'quantity_not_available', 'too_many_fulfillments', ...ADJUSTMENT_PROBLEMS],
      run: (owner, { id, body, options }) => domain.fulfillItems(owner, id, body, options),
    },
    {
      id: 'cancel_fulfillment',
      summary: 'Cancel a fulfillment',
      description:
        'Corrects a fulfillment that was a mistake: its items are open again. The order keeps it, with `cancelled_at`. Not possible once its items were returned.',
      path: '/orders/:id/fulfillments/:fulfillment_id/cancel',
      problems: ['fulfillment_not_found', 'fulfillment_already_cancelled', 'quantity_not_available'],
      run: (owner, { id, partId, options }) => domain.cancelFulfillment(owner, id, partId, options),
    },
    {
      id: 'return_items',
      summary: 'Return items of an order',
      description:
        'Records that fulfilled items came back, in every status, which it keeps. Totals stay: what the buyer gets back is an adjustment.',
      path: '/orders/:id/returns',
      body: {
        schema: ItemReturn,
        required: true,
        examples: { with_a_refund: { items: [ONE_ITEM], reason: 'Broken', adjustments: [REFUND] } },
      },
      problems: ['quantity_not_available', ...ADJUSTMENT_PROBLEMS],
      run: (owner, { id, body, options }) => domain.returnItems(owner, id, body, options),
    },
  ];
}
