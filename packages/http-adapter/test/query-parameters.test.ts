import { describe, expect, it } from 'vitest';
import { aDomainWithCustomer, CUSTOMER_ID } from './a-domain.ts';
import { anApi } from './an-api.ts';
import { at, listAt, textAt } from './json.ts';
import { aNewItem, NO_ORDER } from './new-orders.ts';
import { anApiWithOrders, nextUrl, references } from './pages.ts';

describe('an invalid parameter of a list', () => {
  it.each([
    ['limit=0', 'limit', 'out_of_range'],
    ['limit=101', 'limit', 'out_of_range'],
    [`limit=${'9'.repeat(400)}`, 'limit', 'out_of_range'],
    ['limit=-1', 'limit', 'invalid_format'],
    ['limit=01', 'limit', 'invalid_format'],
    ['limit=%2B1', 'limit', 'invalid_format'],
    ['limit=1.0', 'limit', 'invalid_format'],
    ['limit=1e1', 'limit', 'invalid_format'],
    ['limit=%201', 'limit', 'invalid_format'],
    ['limit=ten', 'limit', 'invalid_format'],
    ['offset=10001', 'offset', 'out_of_range'],
    ['offset=-1', 'offset', 'invalid_format'],
    ['sort=name', 'sort', 'invalid_value'],
    ['sort=%2Bcreated_at', 'sort', 'invalid_value'],
    ['sort=created_at,updated_at', 'sort', 'invalid_value'],
    ['status=lost', 'status', 'invalid_value'],
    ['status=paid,', 'status', 'invalid_value'],
    ['status=paid,%20pending', 'status', 'invalid_value'],
    ['status=PAID', 'status', 'invalid_value'],
    ['customer_id=1', 'customer_id', 'invalid_format'],
    [`reference=${'x'.repeat(65)}`, 'reference', 'too_long'],
    ['reference=%00', 'reference', 'invalid_value'],
    ['limit', 'limit', 'too_short'],
    ['limit=', 'limit', 'too_short'],
    ['after=', 'after', 'too_short'],
    ['limit=1&limit=1', 'limit', 'invalid_value'],
    ['sort=created_at&sort=created_at', 'sort', 'invalid_value'],
    ['reference=A-1&reference=A-1', 'reference', 'invalid_value'],
    ['status=paid&status=lost', 'status', 'invalid_value'],
    ['status=paid&status=', 'status', 'too_short'],
    ['status=&status=paid', 'status', 'too_short'],
    ['status=&status=', 'status', 'too_short'],
    ['status=paid,&status=pending', 'status', 'invalid_value'],
    // Duplicates count towards the limit, in both forms.
    [`status=${Array.from({ length: 6 }, () => 'paid').join(',')}`, 'status', 'invalid_value'],
    [Array.from({ length: 6 }, () => 'status=paid').join('&'), 'status', 'invalid_value'],
    ['status=paid,paid,paid&status=paid,paid,paid', 'status', 'invalid_value'],
  ])('is rejected by name: %s', async (query, field, code) => {
    const { acme } = await anApi();
    const response = await acme.get(`/v1/orders?${query}`);
    expect(response).toMatchObject({ status: 400, body: { code: 'invalid_parameter' } });
    expect(listAt(response.body, 'errors')).toEqual([
      { field, code, message: textAt(response.body, 'errors', 0, 'message') },
    ]);
  });

  it.each(['page=1', 'Limit=1', 'limit[]=1', '__proto__=1', 'constructor=1', 'email=a%40b.test', '=1'])(
    'is refused when it is unknown: %s',
    async (query) => {
      const { acme } = await anApi();
      const response = await acme.get(`/v1/orders?${query}`);
      const [field] = query.split('=');
      expect(response).toMatchObject({ status: 400, body: { code: 'unknown_parameter' } });
      expect(listAt(response.body, 'errors')).toMatchObject([{ field, code: 'unknown_field' }]);
    },
  );

  it('is rejected when it cannot be combined', async () => {
    const { acme } = await anApiWithOrders(2);
    const next = nextUrl(await acme.get('/v1/orders?limit=1'));
    const response = await acme.get(`${next}&offset=0`);
    expect(response).toMatchObject({ status: 400, body: { code: 'conflicting_parameters' } });
    expect(listAt(response.body, 'errors')).toMatchObject([{ field: 'offset' }]);
  });

  it('is rejected for items, too, whose list supports fewer parameters', async () => {
    const { acme } = await anApi();
    const { url } = await acme.place();
    for (const [query, code] of [
      ['limit=0', 'invalid_parameter'],
      ['offset=10001', 'invalid_parameter'],
      ['sort=created_at', 'unknown_parameter'],
      ['status=paid', 'unknown_parameter'],
    ]) {
      expect(await acme.get(`${url}/items?${query}`)).toMatchObject({ status: 400, body: { code } });
    }
  });

  it('is reported together with all others', async () => {
    const { acme } = await anApi();
    const { body } = await acme.get(
      '/v1/orders?limit=0&offset=x&sort=name&status=lost&customer_id=1&reference=%00&page=2&after=x',
    );
    const named = listAt(body, 'errors').map((error) => textAt(error, 'field'));
    expect(new Set(named)).toEqual(
      new Set(['limit', 'offset', 'sort', 'status', 'customer_id', 'reference', 'page', 'after']),
    );
  });
});

describe('an operation that is not a list', () => {
  it('rejects every parameter as unknown', async () => {
    const { acme } = await anApi();
    const { url } = await acme.place();
    const query = 'limit=1';
    const responses = [
      await acme.post(`/v1/orders?${query}`, { items: [aNewItem()] }),
      await acme.get(`${url}?${query}`),
      await acme.patch(`${url}?${query}`, {}),
      await acme.post(`${url}/cancel?${query}`),
      await acme.delete(`${url}?${query}`),
    ];
    const refused = { status: 400, body: { code: 'unknown_parameter', errors: [{ field: 'limit' }] } };
    expect(responses).toMatchObject(responses.map(() => refused));
    expect((await acme.get(url)).body).toMatchObject({ version: 1 });
  });
});

describe('the filters of the list', () => {
  it('select orders by one or several statuses', async () => {
    const { acme } = await anApiWithOrders(3);
    const ids = listAt((await acme.get('/v1/orders')).body, 'data').map((order) => textAt(order, 'id'));
    await acme.patch(`/v1/orders/${ids[0]}`, { status: 'paid' });
    await acme.post(`/v1/orders/${ids[1]}/cancel`);
    expect(references(await acme.get('/v1/orders?status=paid'))).toEqual(['A-3']);
    expect(references(await acme.get('/v1/orders?status=pending,paid'))).toEqual(['A-3', 'A-1']);
    expect(references(await acme.get('/v1/orders?status=shipped'))).toEqual([]);
  });

  it.each([
    'status=pending&status=paid',
    'status=paid&status=pending',
    'status=paid,shipped&status=pending',
    'status=paid&limit=5&status=pending,paid',
    'status=paid&status=paid&status=pending',
  ])('select the same orders when a set is repeated: %s', async (query) => {
    const { acme } = await anApiWithOrders(3);
    const [newest] = listAt((await acme.get('/v1/orders')).body, 'data').map((order) => textAt(order, 'id'));
    await acme.patch(`/v1/orders/${newest}`, { status: 'paid' });
    await acme.post(`/v1/orders/${(await acme.place()).id}/cancel`);
    expect(references(await acme.get(`/v1/orders?${query}`))).toEqual(['A-3', 'A-2', 'A-1']);
  });

  it.each(['A-2', 'a?b', 'a&b=c', 'a>b', 'ключ', 'a b', '%41'])(
    'choose by the exact reference %s',
    async (reference) => {
      const { acme } = await anApiWithOrders(3);
      await acme.delete(`/v1/orders/${textAt((await acme.get('/v1/orders?reference=A-2')).body, 'data', 0, 'id')}`);
      await acme.place({ reference });
      expect(references(await acme.get(`/v1/orders?reference=${encodeURIComponent(reference)}`))).toEqual([reference]);
    },
  );

  it('select orders by customer, ignoring the case of the id', async () => {
    const customer_id = CUSTOMER_ID;
    const { acme } = await anApi(await aDomainWithCustomer());
    const { response } = await acme.place({ customer_id });
    await acme.place();
    for (const id of [customer_id, customer_id.toUpperCase()]) {
      expect(at((await acme.get(`/v1/orders?customer_id=${id}`)).body, 'data')).toEqual([response.body]);
    }
    expect(at((await acme.get(`/v1/orders?customer_id=${NO_ORDER}`)).body, 'data')).toEqual([]);
  });
});
