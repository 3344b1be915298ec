import { describe, expect, it } from 'vitest';
import { aDomainWithCustomer, CUSTOMER_ID } from '../fixtures/a-domain.ts';
import { anApi } from '../fixtures/an-api.ts';
import { createdEndpoint } from '../fixtures/created-endpoint.ts';
import { at, listAt, textAt } from '../fixtures/json.ts';
import { MADE_UP_IDS, MADE_UP_VALUES, madeUpCursor } from '../fixtures/made-up-cursor.ts';
import { aNewItem } from '../fixtures/new-orders.ts';
import { anApiWithOrders, references, walk } from '../fixtures/pages.ts';

const REFUSED = {
  status: 400,
  body: { code: 'invalid_cursor', errors: [{ field: 'after', code: 'invalid_value' }] },
};

describe('a cursor', () => {
  const DAMAGED: readonly (readonly [string, (cursor: string) => string])[] = [
    ['a truncated cursor', (cursor: string) => cursor.slice(0, -4)],
    [
      'a cursor with a changed character',
      (cursor: string) => `${cursor.slice(0, 40)}${cursor[40] === 'A' ? 'B' : 'A'}${cursor.slice(41)}`,
    ],
    ['a cursor with a suffix', (cursor: string) => `${cursor}AAAA`],
    ['text that is not base64url', () => '***'],
    ['text that is not JSON', () => Buffer.from('cursor').toString('base64url')],
    ['other JSON', () => Buffer.from('{"id":1}').toString('base64url')],
    ['a cursor with changed values and the old checksum', (cursor: string) => rewrite(cursor, '2026', '2027')],
  ];

  it('is refused if it is damaged', async () => {
    const { acme } = await anApiWithOrders(2);
    const cursor = textAt((await acme.get('/v1/orders?limit=1')).body, 'page', 'next_cursor');
    expect((await acme.get(`/v1/orders?after=${cursor}`)).status).toBe(200);
    for (const [how, damage] of DAMAGED)
      expect({ how, ...(await acme.get(`/v1/orders?after=${damage(cursor)}`)) }).toMatchObject({ how, ...REFUSED });
  });

  it.each([
    ['sort', 'sort=created_at'],
    ['status', 'status=paid'],
    ['reference', 'reference=A-1'],
    ['customer', 'customer_id=019b0000-0000-7000-8000-000000000001'],
    ['set of ids', 'ids=019b0000-0000-7000-8000-000000000001'],
    ['beginning of references', 'reference_prefix=A-'],
    ['time', 'created_at_from=2026-01-01T00:00:00Z'],
  ])('is rejected with another %s', async (_, query) => {
    const { acme } = await anApiWithOrders(3);
    const all = textAt((await acme.get('/v1/orders?limit=1')).body, 'page', 'next_cursor');
    const pending = textAt((await acme.get('/v1/orders?limit=1&status=pending')).body, 'page', 'next_cursor');
    expect(await acme.get(`/v1/orders?${query}&after=${all}`)).toMatchObject(REFUSED);
    expect(await acme.get(`/v1/orders?${query}&after=${pending}`)).toMatchObject(REFUSED);
  });

  it('is rejected for another list, and for that of another resource', async () => {
    const { acme, cursors } = await anApiWithLists();
    for (const [list, cursor] of cursors)
      for (const [each] of cursors) {
        const { status } = await acme.get(`${each}?after=${cursor}`);
        expect([list, each, status]).toEqual([list, each, each === list ? 200 : 400]);
      }
  });

  it('is rejected by every list if it is made up of anything that is no position', async () => {
    const { acme, cursors } = await anApiWithLists();
    // Those that are a position somewhere in a list.
    const positions =
      /^(-?\d+|"(A-1|2026-01-02T03:04:05\.678Z( [0-9a-f-]{36}( [1-9]\d*)?)?)"|"[0-9a-f]{16}"|"[0-9a-f-]{36}")$/;
    const one = new Map(cursors.map((each) => [each[0].replace(/[0-9a-f-]{36}/, ''), each]));
    for (const [list, cursor] of one.values())
      for (const [part, values] of [
        [4, MADE_UP_VALUES],
        [5, MADE_UP_IDS],
      ] as const)
        for (const value of values) {
          const replaced: Readonly<Record<number, unknown>> = { [part]: value };
          const { status, body } = await acme.get(`${list}?after=${madeUpCursor(cursor, replaced)}`);
          const isRight =
            status === 200 || status === 410
              ? positions.test(JSON.stringify(value))
              : status === 400 && at(body, 'errors', 0, 'field') === 'after';
          expect([list, value, isRight]).toEqual([list, value, true]);
        }
  });

  it.each([
    ['the explicit default sort', 'sort=-created_at', ''],
    ['statuses in another order', 'status=pending,paid', 'status=paid,pending'],
    ['a status twice', 'status=paid,pending,paid', 'status=pending,paid'],
    ['repeated statuses', 'status=paid&status=pending', 'status=pending,paid'],
    ['statuses that are no longer repeated', 'status=pending,paid', 'status=paid&status=pending&status=paid'],
    [
      'a time in another offset',
      'created_at_from=2026-01-02T03:04:00Z',
      'created_at_from=2026-01-02T04:04:00.000%2B01:00',
    ],
  ])('is accepted for an equivalent query: %s', async (_, first, second) => {
    const { acme } = await anApiWithOrders(3);
    const cursor = textAt((await acme.get(`/v1/orders?limit=1&${first}`)).body, 'page', 'next_cursor');
    expect(references(await acme.get(`/v1/orders?${second}&after=${cursor}`))).toEqual(['A-2', 'A-1']);
  });

  it('is accepted for a set of ids in another order, in upper case, or repeated', async () => {
    const { acme } = await anApiWithOrders(3);
    const ids = listAt((await acme.get('/v1/orders')).body, 'data').map((order) => textAt(order, 'id'));
    const cursor = textAt((await acme.get(`/v1/orders?limit=1&ids=${ids.join()}`)).body, 'page', 'next_cursor');
    const [last = '', ...others] = ids.toReversed();
    for (const set of [[last, ...others, last].join(), [last.toUpperCase(), ...others].join('&ids=')])
      expect(references(await acme.get(`/v1/orders?ids=${set}&after=${cursor}`))).toEqual(['A-2', 'A-1']);
  });

  it('has the reference with a beginning of references, also the longest one', async () => {
    const { acme } = await anApi();
    const sorted = ['A-1', 'A-2', `A-${'\u0001'.repeat(62)}`].toSorted();
    for (const reference of sorted.toReversed()) await acme.place({ reference });
    expect((await walk(acme, '/v1/orders?reference_prefix=A-&limit=1')).flatMap(references)).toEqual(sorted);
  });

  it('is accepted for an equivalent query with ids in upper case, or with the default sort of customers', async () => {
    const customer_id = CUSTOMER_ID;
    const { acme } = await anApi(await aDomainWithCustomer());
    const { id } = await acme.place({ customer_id, items: [aNewItem(), aNewItem()] });
    await acme.place({ customer_id });
    await acme.post('/v1/customers', { email: 'bob@example.com' });
    for (const [first, second] of [
      ['/v1/customers?', '/v1/customers?sort=-created_at'],
      [`/v1/orders?customer_id=${customer_id}`, `/v1/orders?customer_id=${customer_id.toUpperCase()}`],
      [`/v1/orders/${id}/items?`, `/v1/orders/${id.toUpperCase()}/items?`],
    ]) {
      const cursor = textAt((await acme.get(`${first}&limit=1`)).body, 'page', 'next_cursor');
      expect((await acme.get(`${second}&after=${cursor}`)).status).toBe(200);
    }
  });

  it.each([
    ['format', 0, 2],
    ['list', 1, 'customers'],
    ['sort', 2, 'created_at'],
    ['filter', 3, 'AAAAAAAAAAA'],
    ['time', 4, 'yesterday'],
    ['time', 4, '2026-02-30T00:00:00.000Z'],
    ['time', 4, null],
    ['id', 5, 'x'],
  ])('is rejected if it is forged with another %s', async (_, index, value) => {
    const { acme } = await anApiWithOrders(2);
    const cursor = textAt((await acme.get('/v1/orders?limit=1')).body, 'page', 'next_cursor');
    expect((await acme.get(`/v1/orders?after=${madeUpCursor(cursor, {})}`)).status).toBe(200);
    const response = await acme.get(`/v1/orders?after=${madeUpCursor(cursor, { [index]: value })}`);
    expect(response).toMatchObject({ status: 400, body: { errors: [{ field: 'after' }] } });
  });
});

/** Creates an API with two elements or more in every list, and returns the first cursor of each. */
async function anApiWithLists() {
  const { acme } = await anApi();
  const urls: string[] = [];
  for (const email of ['ada@example.com', 'bob@example.com']) {
    const { url: endpoint } = await createdEndpoint(acme, { types: ['order.changed'] });
    const customer = await acme.post('/v1/customers', { email });
    const customer_id = textAt(customer.body, 'id');
    for (let count = 0; count < 2; count += 1) {
      const { url } = await acme.place({ customer_id, items: [aNewItem(), aNewItem()] });
      for (const note of ['x', 'y']) await acme.patch(url, { note });
      urls.push(`${url}/items`, `${url}/versions`);
    }
    urls.push(`${customer.headers['location']}/data`, `${endpoint}/deliveries`);
  }
  const lists = ['/v1/orders', '/v1/customers', '/v1/webhook_endpoints', '/v1/events', ...urls];
  const cursors: (readonly [list: string, cursor: string])[] = [];
  for (const list of lists)
    cursors.push([list, textAt((await acme.get(`${list}?limit=1`)).body, 'page', 'next_cursor')]);
  return { acme, cursors };
}

/** Returns the cursor with one text replaced. */
function rewrite(cursor: string, from: string, to: string): string {
  return Buffer.from(Buffer.from(cursor, 'base64url').toString().replace(from, to)).toString('base64url');
}
