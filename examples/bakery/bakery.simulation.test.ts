import { it } from 'node:test';
import { createDomain } from '@orders/domain';
import { simulate } from '@orders/domain/testing';
import { BAKERY } from './bakery.ts';
import { sell } from './counter.ts';
import { ovenList, runOven } from './oven.ts';

it('sells and bakes every order once, whatever crashes', async () => {
  await simulate({
    seeds: 30,
    definition: BAKERY,
    program: ({ client, service, store }) => {
      const sales = new Map<string, string | null>();
      const oven = ovenList();
      client('counter', async (process) => {
        const domain = createDomain(process);
        const complete = async (sale: string) => {
          sales.set(sale, null);
          const id = await sell(domain, 'harbour', sale, process.timer);
          sales.set(sale, id);
          await process.timer.pause(process.random() * 10_000);
          if (process.random() < 0.2)
            await domain.cancelOrder('harbour', id, {}, { idempotencyKey: `${sale}-cancelled` });
        };
        for (const [sale, id] of sales) if (id === null) await complete(sale);
        for (const number of process.operations()) await complete(`sale-${number}`);
      });
      service('oven', async (process) => {
        const putIn = (order: string) => process.effect('put in', () => oven.add(order));
        await runOven({ ...process, domain: createDomain(process), putIn }, 'harbour');
      });
      const latest = () => new Map(store.events().map(({ aggregate_id, type }) => [aggregate_id, type]));
      return { sales, oven, latest };
    },
    invariants: {
      'no bread is baked twice': ({ oven }) => new Set(oven.orders).size === oven.orders.length,
      'what is ready was baked': ({ oven, latest }) =>
        [...latest()].every(([id, type]) => type !== 'order.ready' || oven.orders.includes(id)),
    },
    eventually: {
      'every sale is one order': ({ sales, latest }) => latest().size === sales.size,
      'every order is ready or cancelled': ({ latest }) =>
        [...latest().values()].every((type) => type === 'order.ready' || type === 'order.cancelled'),
    },
  });
});
