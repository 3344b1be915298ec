import type { defineOrders } from '@orders/domain';
import type { customFrom } from '@orders/domain/custom';
import type { z } from 'zod';

/** What a server gives to the module, and a program, too. */
interface Tools {
  readonly defineOrders: typeof defineOrders;
  readonly customFrom: typeof customFrom;
  readonly z: typeof z;
}

/** The orders of a rental: paid before they are picked up, and not deleted while something is out. */
export default ({ defineOrders, customFrom, z }: Tools) => {
  /** What is rented from one day to another. */
  const Period = z
    .strictObject({
      from: z.iso.date(),
      to: z.iso.date(),
      insured: z.boolean().default(false),
      contract: z.string().max(30).optional(),
    })
    .refine(({ from, to }) => from <= to, {
      path: ['to'],
      error: 'must not be before from',
      // The code of the invalid field, which Zod has no own one for.
      params: { code: 'out_of_range' },
    });
  return defineOrders({
    lifecycle: {
      reserved: ['paid', 'picked_up', 'cancelled'],
      paid: ['picked_up', 'cancelled'],
      picked_up: ['returned'],
      returned: [],
      cancelled: [],
    },
    initial: 'reserved',
    cancel: 'cancelled',
    custom: customFrom(Period, { required: true }),
    lookups: { contract: ({ contract }) => contract ?? null },
    requires: { picked_up: ['paid'] },
    refusals: {
      still_out: 'An order that is picked up must be returned before it is deleted.',
      too_long: 'More than two pieces are rented for at most a week.',
    },
    guards: {
      place: (_, { custom, items }) => {
        const pieces = items.reduce((sum, { quantity }) => sum + quantity, 0);
        return custom && pieces > 2 && daysOf(custom) > 7 ? 'too_long' : null;
      },
      delete: ({ status }) => (status === 'picked_up' ? 'still_out' : null),
    },
  });
};

function daysOf({ from, to }: { readonly from: string; readonly to: string }): number {
  return (Date.parse(to) - Date.parse(from)) / 86_400_000 + 1;
}
