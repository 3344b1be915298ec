import { it } from 'node:test';
import { createDomain } from '@orders/domain';
import { simulate } from '@orders/domain/testing';
import { RENTAL } from './rental.ts';

const items = [{ sku: 'SAW', name: 'Chain saw', quantity: 1, unit_price: { amount: 2900, currency: 'EUR' } }];
const custom = { from: '2026-05-01', to: '2026-05-02' };

it('hands out nothing that is not paid, whatever crashes', async () => {
  await simulate({
    seeds: 30,
    definition: RENTAL,
    program: ({ client, store }) => {
      const orders = new Set<string>();
      client('till', async (process) => {
        const domain = createDomain(process);
        for (const number of process.operations()) {
          const placed = await domain.placeOrder('harbour', { items, custom }, { idempotencyKey: `place-${number}` });
          if (placed.isOk()) orders.add(placed.value.order.id);
          for (const id of orders)
            if (process.random() < 0.5) await domain.changeOrder('harbour', id, { status: 'paid' });
        }
      });
      client('counter', async (process) => {
        const domain = createDomain(process);
        for (const _ of process.operations()) {
          await process.timer.pause(process.random() * 1000);
          for (const id of orders) await domain.changeOrder('harbour', id, { status: 'picked_up' });
        }
      });
      return { events: () => store.events() };
    },
    invariants: {
      'each order is paid before it is picked up': ({ events }) => {
        const paid = new Set<string>();
        return events().every(({ type, aggregate_id }) => {
          if (type === 'order.paid') paid.add(aggregate_id);
          return type !== 'order.picked_up' || paid.has(aggregate_id);
        });
      },
    },
  });
});
