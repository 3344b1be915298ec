const items = [{ sku: 'OUD-12ML', name: 'Oud 🎁', quantity: 3, unit_price: { amount: 1250, currency: 'KWD' } }];

const recordIn = (outcomes) => async (result) =>
  outcomes.push(
    await result.match(
      (value) => Object.keys(value).toSorted().join(' '),
      (error) => error.type,
    ),
  );

/**
 * Uses orders over HTTP or on a domain, and returns the outcomes, which must be the same for both, on every JavaScript
 * runtime.
 */
export async function useOrders(orders, label) {
  const outcomes = [];
  const record = recordIn(outcomes);
  const placed = (await orders.place({ items, reference: label })).unwrapOr(null);
  const { order, idempotencyKey } = placed;
  outcomes.push(`${order.total.amount} ${order.total.currency} ${order.items[0].name}`);
  const again = await orders.place({ items, reference: label }, { idempotencyKey });
  outcomes.push(again.unwrapOr(null).replayed);
  await record(orders.place({ items, reference: label }));
  await record(orders.change(order.id, { note: 'x' }, { ifVersion: 7 }));
  await record(orders.update(order.id, ({ version }) => ({ note: `after ${version}` })));
  await record(orders.get('nonsense'));
  let found = 0;
  for await (const each of orders.list({ reference: label, limit: 1 })) found += each.version;
  outcomes.push(found);
  const { next_cursor: after } = (await orders.events.page({ start: 'latest' })).unwrapOr(null);
  const stop = new AbortController();
  setTimeout(() => void orders.cancel(order.id), 50);
  for await (const { type } of orders.events.follow({ after, signal: stop.signal })) {
    outcomes.push(type);
    stop.abort();
  }
  return outcomes;
}

/** Uses every part of the client against a server of orders, and returns the outcomes. */
export async function runScenario({ createOrdersClient, RequestFailed, verifyWebhook }, { baseUrl, apiKey, label }) {
  const orders = createOrdersClient({ baseUrl, credentials: { apiKey }, retries: 1 });
  const outcomes = await useOrders(orders, label);
  const record = recordIn(outcomes);
  const anonymous = createOrdersClient({ baseUrl });
  try {
    for await (const each of anonymous.list()) outcomes.push(each.id);
  } catch (error) {
    outcomes.push(error instanceof RequestFailed && error.error.type);
  }
  await record(createOrdersClient({ baseUrl: 'http://127.0.0.1:9', retries: 0 }).place({ items }));
  // The example of Standard Webhooks 1.0.
  const headers = new Headers({
    'webhook-id': 'msg_p5jXN8AQM9LWM0D4loKWxJek',
    'webhook-timestamp': '1614265330',
    'webhook-signature': 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
  });
  const now = new Date(1_614_265_330_000);
  const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
  // Signed, but no message of orders.
  await record(verifyWebhook(secret, headers, '{"test": 2432232314}', { now }));
  await record(verifyWebhook(secret, headers, '{"test": 2432232315}', { now }));
  return outcomes;
}

export const EXPECTED_OF_ORDERS = [
  '3750 KWD Oud 🎁',
  true,
  'reference_taken',
  'precondition_failed',
  'idempotencyKey order replayed',
  'order_not_found',
  2,
  'order.cancelled',
];
export const EXPECTED = [...EXPECTED_OF_ORDERS, 'unauthenticated', 'unreachable', 'invalid_body', 'invalid_signature'];
