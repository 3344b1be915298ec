/**
 * Runs one order through its lifecycle and returns the outcome of each command. The ports are a Map, a counter and a
 * fixed clock, so that the outcomes must be the same on every JavaScript runtime.
 */
export async function runScenario({ createDomain }, { ok, ResultAsync }) {
  const orders = new Map();
  const toResultAsync = (result) => new ResultAsync(Promise.resolve(result));
  const find = (id) => (orders.has(id) ? { aggregate: orders.get(id) } : null);
  let count = 0;
  const domain = createDomain({
    orders: {
      load: (owner, id) => toResultAsync(ok(find(id))),
      plan: () => ({ lookUpFirst: false, lockFirst: false }),
      commit: (owner, { after }) => {
        orders.set(after.id, after);
        return toResultAsync(ok(null));
      },
      list: () => toResultAsync(ok({ data: [...orders.values()], next: null })),
      listVersions: (owner, id, { at }) =>
        toResultAsync(ok({ data: at === '2026-01-02T03:04:05.678Z' ? [{ version: 1 }] : [], next: null })),
    },
    customers: {},
    clock: { now: () => new Date('2026-01-02T03:04:05.678Z') },
    ids: { next: () => `019b0000-0000-7000-8000-${(++count).toString(16).padStart(12, '0')}` },
  });
  const outcomes = [];
  const record = async (outcome) => {
    const line = await outcome.match(
      (done) => done.event?.type ?? done.data?.length,
      (error) => error.type,
    );
    outcomes.push(line);
  };
  const unit_price = { amount: 1250, currency: 'KWD' };
  const items = [{ sku: 'OUD-12ML', name: 'دهن عود 🎁', quantity: 3, unit_price }];
  const placed = await domain.placeOrder('shop', { items, metadata: { channel: 'web' } });
  const { order } = placed.unwrapOr({});
  outcomes.push(`${order.total.amount} ${order.total.currency}`);
  await record(domain.placeOrder('shop', { items: [{ ...items[0], quantity: 0.5 }] }));
  await record(domain.changeOrder('shop', order.id, { status: 'paid', note: '\ud83c\udf81' }));
  await record(domain.changeOrder('shop', order.id, { note: '\ud83c' }));
  await record(domain.cancelOrder('shop', order.id, { reason: 'ordered twice' }));
  await record(domain.cancelOrder('shop', order.id));
  await record(domain.listOrders('shop', { status: ['cancelled'] }));
  await record(domain.getOrder('shop', 'nonsense'));
  await record(domain.listOrderVersions('shop', order.id, { at: '2026-01-02t08:49:05.678999+05:45' }));
  await record(domain.listOrderVersions('shop', order.id, { at: '2026-02-30T00:00:00Z' }));
  return outcomes;
}

/**
 * Consumes the events of a store in memory until one that is written during a wait, with a handler that fails once.
 * Returns the handled events and the position at which the consumer continues.
 */
export async function runFeedScenario({ consume }, { anEventOf, anOrder, inMemoryStore }) {
  const { orders, feed, checkpoints } = inMemoryStore();
  const place = () => {
    const after = anOrder();
    return orders.commit('shop', { kind: 'create', after, event: anEventOf('shop', after), key: undefined });
  };
  const wait = (...request) => {
    const waiting = feed.wait(...request);
    void place();
    return waiting;
  };
  await place();
  const stop = new AbortController();
  const outcomes = [];
  const handler = ({ type, position }) => {
    outcomes.push(`${type} ${position}`);
    if (outcomes.length === 1) throw new Error('once');
    if (position === 2) stop.abort();
  };
  const consumer = { owner: 'shop', name: 'mail', handler, signal: stop.signal };
  await consume({ ...consumer, feed: { ...feed, wait }, checkpoints });
  outcomes.push((await checkpoints.load('shop', 'mail')).unwrapOr(null)?.position);
  return outcomes;
}

export const EXPECTED_OF_FEED = ['order.placed 1', 'order.placed 1', 'order.placed 2', 2];

/** Simulates a program that repeats what may have been done. Returns its smallest failure, which a seed determines. */
export async function runSimulation({ simulate }) {
  const program = ({ client }) => {
    const world = { begun: 0, done: 0 };
    client('counter', async ({ effect, operations }) => {
      const count = () => effect('count', () => (world.done += 1));
      for (world.begun of operations())
        await count()
          .catch(count)
          .catch(() => undefined);
    });
    return world;
  };
  const invariants = { 'counts once': ({ begun, done }) => done <= begun + 1 };
  const failed = await simulate({ program, invariants }).catch((cause) => cause);
  return [failed.condition, ...failed.replay.faults];
}

export const EXPECTED_OF_SIMULATION = ['counts once', 'counter count#1 done_then_unavailable'];

export const EXPECTED = [
  '3750 KWD',
  'validation_failed',
  'order.paid',
  'validation_failed',
  'order.cancelled',
  'order_already_cancelled',
  1,
  'order_not_found',
  1,
  'validation_failed',
];
