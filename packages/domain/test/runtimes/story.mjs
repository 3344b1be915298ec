/**
 * A little history of one order, told with the domain alone: the ports are a Map, a counter and a clock that stands.
 * It must come out the same wherever JavaScript runs.
 */
export async function tellStory({ createDomain }, { err, ok, ResultAsync }) {
  const orders = new Map();
  const settle = (result) => new ResultAsync(Promise.resolve(result));
  const find = (id) => (orders.has(id) ? ok(orders.get(id)) : err({ type: 'order_not_found', id }));
  const keep = ({ order, event }) => {
    orders.set(order.id, order);
    return { order, event, replayed: false };
  };
  let count = 0;
  const domain = createDomain({
    orders: {
      insert: (owner, placed) => settle(ok(keep(placed))),
      find: (owner, id) => settle(find(id)),
      list: () => settle(ok({ data: [...orders.values()], next: null })),
      update: (owner, id, change) => settle(find(id).andThen(change).map(keep)),
      delete: (owner, id, judge) =>
        settle(
          find(id)
            .andThen(judge)
            .map((event) => ({ event, replayed: false })),
        ),
    },
    customers: {},
    clock: { now: () => new Date('2026-01-02T03:04:05.678Z') },
    ids: { next: () => `019b0000-0000-7000-8000-${(++count).toString(16).padStart(12, '0')}` },
  });
  const told = [];
  const tell = async (outcome) => {
    const line = await outcome.match(
      (done) => done.event?.type ?? done.data?.length,
      (error) => error.type,
    );
    told.push(line);
  };
  const unit_price = { amount: 1250, currency: 'KWD' };
  const items = [{ sku: 'OUD-12ML', name: 'دهن عود 🎁', quantity: 3, unit_price }];
  const placed = await domain.placeOrder('shop', { items, metadata: { channel: 'web' } });
  const { order } = placed.unwrapOr({});
  told.push(`${order.total.amount} ${order.total.currency}`);
  await tell(domain.placeOrder('shop', { items: [{ ...items[0], quantity: 0.5 }] }));
  await tell(domain.changeOrder('shop', order.id, { status: 'paid', note: '\ud83c\udf81' }));
  await tell(domain.changeOrder('shop', order.id, { note: '\ud83c' }));
  await tell(domain.cancelOrder('shop', order.id, { reason: 'ordered twice' }));
  await tell(domain.cancelOrder('shop', order.id));
  await tell(domain.listOrders('shop', { status: ['cancelled'] }));
  await tell(domain.getOrder('shop', 'nonsense'));
  return told;
}

export const EXPECTED = [
  '3750 KWD',
  'validation_failed',
  'order.paid',
  'validation_failed',
  'order.cancelled',
  'order_already_cancelled',
  1,
  'order_not_found',
];
