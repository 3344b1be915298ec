import { ITEMS_MAX, ITEMS_METADATA_BYTES_MAX } from '@orders/domain';
import { expect, it } from 'vitest';
import {
  aDomain,
  aLine,
  anOrderIn,
  aPlacedOrder,
  fails,
  invalidFields,
  OWNER,
  succeeds,
  UNKNOWN_ID,
} from '../fixtures/a-domain.ts';

const anId: unknown = expect.stringMatching(/^[0-9a-f-]{36}$/);
const price = (amount: number, currency = 'EUR') => ({ amount, currency });
const charge = (type: string, amount: number, more: object = {}) => ({
  type,
  name: type,
  amount: price(amount),
  ...more,
});

it.each(['pending', 'delivered'] as const)(
  'items are appended to an order that is %s, and others stay',
  async (status) => {
    const domain = aDomain();
    const before = await anOrderIn(domain, status, {
      items: [aLine({ quantity: 2 })],
      adjustments: [charge('fee', 1)],
    });
    const [first] = before.items;
    domain.clock.advance(1000);
    const line = aLine({ sku: 'SPOON', quantity: 3, unit_price: price(250), metadata: { size: 'M' } });
    const adjustments = [charge('discount', -50, { item: 1 }), charge('tax', 9, { item_id: first?.id.toUpperCase() })];
    const input = { items: [aLine({ metadata: null }), line], adjustments };
    const { order, event } = await succeeds(domain.addItems(OWNER, before.id, input, { idempotencyKey: 'k' }));
    const nothing = { fulfilled_quantity: 0, cancelled_quantity: 0, returned_quantity: 0 };
    const added = [
      { id: anId, ...aLine(), ...nothing, total: price(1999), metadata: {} },
      { id: anId, ...line, ...nothing, total: price(750) },
    ];
    const at = '2026-01-02T03:04:06.678Z';
    const charged = { id: anId, included: false, created_at: at };
    expect(order).toEqual({
      ...before,
      items: [first, ...added],
      adjustments: [
        ...before.adjustments,
        { ...charge('discount', -50), ...charged, item_id: order.items[2]?.id },
        { ...charge('tax', 9), ...charged, item_id: first?.id },
      ],
      subtotal: price(3 * 1999 + 750),
      total: price(3 * 1999 + 750 - 40),
      version: before.version + 1,
      updated_at: at,
    });
    const changed = ['items', 'adjustments', 'subtotal', 'total'];
    expect(event).toMatchObject({ type: 'order.items_added', version: order.version, changed });
    const same = { ...input, items: [aLine(), line] };
    const again = await succeeds(domain.addItems(OWNER, before.id, same, { idempotencyKey: 'k' }));
    expect(again).toEqual({ order, event: null, replayed: true });
    expect((await succeeds(domain.getOrderVersion(OWNER, before.id, before.version))).order).toEqual(before);
    expect((await succeeds(domain.listOrderItems(OWNER, before.id))).data).toEqual(order.items);
  },
);

it.each([
  [{}, 'items: required'],
  [{ items: [] }, 'items: too_short (must have at least 1 item)'],
  [{ items: [aLine({ id: UNKNOWN_ID, quantity: 0 })] }, 'items[0].id: read_only', 'items[0].quantity: out_of_range'],
  [{ items: [aLine()], reason: 'x' }, 'reason: unknown_field'],
  [{ adjustments: [charge('tax', 1, { item: 1 })] }, 'adjustments[0].item: out_of_range'],
  [{ adjustments: [charge('tax', 1, { item_id: 'x' })] }, 'adjustments[0].item_id: invalid_format'],
  [
    { adjustments: [charge('tax', 1, { item: 0, item_id: UNKNOWN_ID })] },
    'adjustments[0].item_id: invalid_value (cannot be set together with item)',
  ],
])('%j is rejected', async (input, ...fields) => {
  const domain = aDomain();
  const { id } = await aPlacedOrder(domain);
  const body = 'adjustments' in input ? { items: [aLine()], ...input } : input;
  expect(await fails(domain.addItems(OWNER, id, body))).toMatchObject(invalidFields(...fields.map(String)));
});

it('what the state of an order refuses comes first, and then what is wrong with the input besides it', async () => {
  const domain = aDomain();
  const adjustments = Array(99).fill(charge('fee', 0));
  const metadata = (keys: number) =>
    Object.fromEntries(Array.from({ length: keys }, (_, key) => [key, 'x'.repeat(255)]));
  const items = Array.from({ length: ITEMS_MAX - 2 }, (_, at) =>
    aLine({ unit_price: price(1), metadata: at < 3 ? metadata(20) : null }),
  );
  const { id } = await aPlacedOrder(domain, { items, adjustments });
  const huge = aLine({ quantity: 1_000_000, unit_price: price(10 ** 12) });
  const full = aLine({ unit_price: price(1), metadata: metadata(4) });
  const abroad = { ...full, unit_price: price(1, 'USD') };
  const unknown = charge('tax', 0, { item_id: UNKNOWN_ID });
  const add = (added: readonly object[], charges: readonly object[] = [unknown], ifVersion = 1) =>
    fails(domain.addItems(OWNER, id, { items: added, adjustments: charges }, { ifVersion: [ifVersion] }));
  const reduced = charge('discount', -9999, { item_id: UNKNOWN_ID });
  expect(await add([huge, abroad, full], [unknown, unknown], 2)).toMatchObject({ type: 'precondition_failed' });
  expect(await add([huge, abroad, full], [unknown, unknown])).toEqual({ type: 'too_many_items' });
  expect(await add([huge, abroad], [unknown, unknown])).toEqual({ type: 'too_many_adjustments' });
  expect(await add([abroad, full], [charge('tax', -1)])).toMatchObject({ type: 'adjustment_sign' });
  expect(await add([abroad, full], [reduced])).toEqual({ type: 'negative_total', total: -9899 });
  expect(await add([abroad, huge])).toEqual({ type: 'amount_out_of_range', field: 'items[1]' });
  const largest = aLine({ quantity: 9007, unit_price: price(10 ** 12) });
  expect(await add([largest, largest])).toEqual({ type: 'amount_out_of_range', field: 'items' });
  expect(await add([full, abroad])).toMatchObject({ type: 'currency_mismatch', field: 'items[1].unit_price.currency' });
  const tooMuch = `items: too_long (must have at most ${ITEMS_METADATA_BYTES_MAX} bytes of metadata as JSON in all)`;
  expect(await add([full])).toMatchObject(invalidFields('adjustments[0].item_id: not_found', tooMuch));
  await succeeds(domain.addItems(OWNER, id, { items: [{ ...full, metadata: metadata(1) }, aLine()] }));
  expect(await add([aLine()], [], 2)).toEqual({ type: 'too_many_items' });
  await succeeds(domain.cancelOrder(OWNER, id));
  expect(await add([huge, abroad, full], [unknown, unknown], 3)).toEqual({
    type: 'order_not_modifiable',
    fields: ['items'],
  });
});

it('an order to which dear items were added for others is imported, whatever all of them would make', async () => {
  const domain = aDomain();
  const largest = aLine({ quantity: 9007, unit_price: price(10 ** 12) });
  const { id, items } = await aPlacedOrder(domain, { items: [largest] });
  await succeeds(domain.cancelOrder(OWNER, id, { items: [{ item_id: items[0]?.id, quantity: 9006 }] }));
  const { order } = await succeeds(domain.addItems(OWNER, id, { items: [{ ...largest, quantity: 9006 }] }));
  expect((await succeeds(aDomain().importOrder(OWNER, order))).order).toEqual(order);
});
