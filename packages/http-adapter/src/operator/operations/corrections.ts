import type { Domain, OrderDefinition } from '@orders/domain';
import { Type } from 'typebox';
import { WRITE } from '../../api/operation.ts';
import { orderStatus } from '../../api/definition-schemas.ts';
import { orderSchemas } from '../../api/orders/order-schemas.ts';
import { JSON_TYPES } from '../../request/media-types.ts';
import { CHANGE_HEADERS, readChange } from '../../request/request-parameters.ts';
import { ownerOf } from '../../request-state.ts';
import { changed, toResponse } from '../../response/responses.ts';
import { type Acting, writeFor } from '../acting-for-owner.ts';
import type { OperatorOperation } from '../operator.ts';
import { operatorOf } from '../operator-principals.ts';
import { readBody, readOneOf } from './read-body.ts';

/** What operations on the status of an order use. */
export interface CorrectionParts {
  /** The use cases of the current transaction. */
  readonly domain: Pick<Domain<OrderDefinition>, 'correctOrder'>;
  readonly definition: OrderDefinition;
}

const CORRECTION = { id: 'correct_order', scope: 'orders:write' } as const;

/** Returns the operation that corrects the status of an order. */
export function correctionOperations(parts: CorrectionParts & Acting): readonly OperatorOperation[] {
  const { domain, definition } = parts;
  const schema = Type.Object(
    { status: orderStatus(definition) },
    { title: 'OrderCorrection', additionalProperties: false },
  );
  return [
    {
      id: CORRECTION.id,
      summary: 'Correct the status of an order',
      description:
        'Any status, whatever the lifecycle and its guards say. The time of the new status is now; the times of the one before, and of those that do not lead to the new one, become null. The reason is kept with the version, which the owner sees. The status that the order has changes nothing.',
      method: 'POST',
      path: '/admin/v1/orders/:id/corrections',
      role: 'admin',
      about: 'owner',
      changes: true,
      reveals: () => false,
      cost: WRITE,
      supports: CHANGE_HEADERS,
      body: { types: JSON_TYPES, schema, required: true, examples: { back: { status: definition.initial } } },
      response: { schema: orderSchemas(definition).Order },
      handle: (request) =>
        readChange(request)
          .andThen((input) =>
            readBody(request, { status: readOneOf(definition.statuses) }).map(({ status }) => ({ ...input, status })),
          )
          .asyncAndThen(({ id, status, options }) =>
            writeFor(request, CORRECTION, parts, () => {
              const correction = { status, reason: operatorOf(request).reason };
              return toResponse(domain.correctOrder(ownerOf(request), id, correction, options), ({ order, replayed }) =>
                changed(order, replayed),
              );
            }),
          ),
    },
  ];
}
