import { describe, expect, it } from 'vitest';
import { aDomainWithCustomer, CUSTOMER_ID } from '../fixtures/a-domain.ts';
import { currentDocument } from '../../scripts/current-document.ts';
import { anApi } from '../fixtures/an-api.ts';
import { at, behindReferences, listAt, membersOf, textAt } from '../fixtures/json.ts';
import { NO_ORDER } from '../fixtures/new-orders.ts';
import { anApiWithOrders, references } from '../fixtures/pages.ts';

const SIX = Array.from({ length: 6 }, () => 'paid');

// The generated requests have every parameter of every operation; these are the codes of the faults.
describe('an invalid parameter of a list', () => {
  const INVALID: readonly (readonly [query: string, field: string, code: string])[] = [
    ['limit=0', 'limit', 'out_of_range'],
    [`limit=${'9'.repeat(400)}`, 'limit', 'out_of_range'],
    ['limit=01', 'limit', 'invalid_format'],
    ['after=', 'after', 'too_short'],
    ['limit=1&limit=1', 'limit', 'invalid_value'],
    ['sort=name', 'sort', 'invalid_value'],
    ['customer_id=1', 'customer_id', 'invalid_format'],
    [`reference=${'x'.repeat(65)}`, 'reference', 'too_long'],
    ['status=paid&status=lost', 'status', 'invalid_value'],
    ['status=paid,&status=pending', 'status', 'invalid_value'],
    ['ids=1', 'ids[0]', 'invalid_format'],
    ['reference_prefix=A', 'reference_prefix', 'too_short'],
    ['created_at_from=2026-01-02', 'created_at_from', 'invalid_format'],
    [
      'updated_at_from=2026-01-02T01:00:00Z&updated_at_before=2026-01-02T02:00:00%2B01:00',
      'updated_at_before',
      'invalid_value',
    ],
    // Duplicates count towards the limit, in both forms.
    [`status=${SIX.join(',')}`, 'status', 'invalid_value'],
    [`status=${SIX.join('&status=')}`, 'status', 'invalid_value'],
  ];

  it('is rejected by name', async () => {
    const { acme } = await anApi();
    for (const [query, field, code] of INVALID) {
      const { status, body } = await acme.get(`/v1/orders?${query}`);
      const errors = [{ field, code, message: textAt(body, 'errors', 0, 'message') }];
      expect([status, at(body, 'code'), at(body, 'errors')]).toEqual([400, 'invalid_parameter', errors]);
    }
  });

  it.each([
    [`ids=${NO_ORDER}`, 'offset=0'],
    [`ids=${NO_ORDER}`, 'sort=-created_at'],
    ['reference_prefix=A-', 'sort=created_at'],
    ['created_at_from=2026-01-02T00:00:00Z&sort=updated_at', 'offset=0'],
    ['updated_at_before=2026-01-02T00:00:00Z', 'offset=0'],
    ['reference_prefix=A-&created_at_from=2026-01-02T00:00:00Z', 'offset=0'],
  ])('cannot be combined with others: %s', async (query, other) => {
    const { acme } = await anApi();
    expect((await acme.get(`/v1/orders?${query}`)).status).toBe(200);
    const errors = [{ field: other.split('=')[0], code: 'invalid_value' }];
    const conflict = { status: 400, body: { code: 'conflicting_parameters', errors } };
    expect(await acme.get(`/v1/orders?${query}&${other}`)).toMatchObject(conflict);
  });

  it('is a time whose plus became a space: the response says how to write it', async () => {
    const { acme } = await anApi();
    const document = currentDocument();
    const times = membersOf(at(document, 'paths')).flatMap((path) =>
      listAt(at(document, 'paths', path, 'get', 'parameters') ?? [])
        .map((_, index) => behindReferences(document, 'paths', path, 'get', 'parameters', `${index}`))
        .filter((place) => at(document, ...behindReferences(document, ...place, 'schema'), 'format') === 'date-time')
        .map((place) => [path.replace('{id}', NO_ORDER), textAt(document, ...place, 'name')] as const),
    );
    expect(times).toHaveLength(11);
    for (const [path, name] of [...times, ['/order_statistics', 'time_zone'] as const]) {
      const time = name === 'time_zone' ? '+02:00' : '2026-01-01T00:00:00+02:00';
      const { status, body } = await acme.get(`/v1${path}?${name}=${time}`);
      const message: unknown = expect.stringContaining('write + as %2B');
      expect([path, status]).toEqual([path, 400]);
      expect(listAt(body, 'errors')).toContainEqual({ field: name, code: 'invalid_format', message });
    }
  });

  it('is refused when it is unknown', async () => {
    const { acme } = await anApi();
    for (const query of ['page=1', 'Limit=1', 'limit[]=1', '__proto__=1', 'constructor=1', '=1']) {
      const errors = [{ field: query.split('=')[0], code: 'unknown_field' }];
      const unknown = { status: 400, body: { code: 'unknown_parameter', errors } };
      expect(await acme.get(`/v1/orders?${query}`)).toMatchObject(unknown);
    }
  });

  it('are at most a hundred', async () => {
    const { acme } = await anApi();
    const unknown = Array.from({ length: 150 }, (_, index) => `parameter_${index}=1`).join('&');
    expect(listAt((await acme.get(`/v1/orders?${unknown}`)).body, 'errors')).toHaveLength(100);
  });
});

describe('faults of path, query and headers', () => {
  const conditions = { 'if-match': 'x', 'if-none-match': 'y' };

  it.each([
    [
      'GET',
      '/v1/orders?limit=0&offset=x&sort=name&status=lost&customer_id=1&reference=%00&page=2&after=x',
      {},
      ['limit', 'offset', 'sort', 'status', 'customer_id', 'reference', 'page', 'after'],
    ],
    ['GET', '/v1/orders/1?page=1', { 'if-none-match': 'x' }, ['id', 'page', 'If-None-Match']],
    ['GET', '/v1/orders/1/items?limit=0&offset=x&after=y&page=1', {}, ['id', 'limit', 'offset', 'after', 'page']],
    ['GET', '/v1/orders/1/versions?limit=0&after=y&at=x&page=1', {}, ['id', 'limit', 'after', 'at', 'page']],
    ['GET', '/v1/orders/1/versions/x?limit=1', {}, ['id', 'version', 'limit']],
    ['POST', '/v1/orders?page=1', { 'idempotency-key': 'a b' }, ['page', 'Idempotency-Key']],
    [
      'PATCH',
      '/v1/orders/1?page=1&limit=2',
      { ...conditions, 'idempotency-key': 'a b' },
      ['id', 'page', 'limit', 'If-Match', 'If-None-Match', 'Idempotency-Key'],
    ],
  ] as const)('are reported together: %s %s', async (method, url, headers, fields) => {
    const { acme } = await anApi();
    const body = method === 'GET' ? {} : { payload: '{}', headers: { 'content-type': 'application/json', ...headers } };
    const response = await acme.send({ method, url, headers, ...body });
    expect(response.status).toBe(400);
    expect(new Set(listAt(response.body, 'errors').map((error) => textAt(error, 'field')))).toEqual(new Set(fields));
  });
});

describe('the filters of the list', () => {
  it.each(['status=pending,paid', 'status=paid&status=pending', 'status=paid,shipped&status=pending&status=paid'])(
    'select orders by statuses, also when they are repeated: %s',
    async (query) => {
      const { acme } = await anApiWithOrders(3);
      const [newest] = listAt((await acme.get('/v1/orders')).body, 'data').map((order) => textAt(order, 'id'));
      await acme.patch(`/v1/orders/${newest}`, { status: 'paid' });
      await acme.post(`/v1/orders/${(await acme.place()).id}/cancel`);
      expect(references(await acme.get(`/v1/orders?${query}`))).toEqual(['A-3', 'A-2', 'A-1']);
    },
  );

  it('select orders by the exact reference, however it is encoded', async () => {
    const { acme } = await anApiWithOrders(3);
    for (const reference of ['a?b', 'a&b=c', 'a>b', 'ключ', 'a b', '%41']) {
      await acme.place({ reference });
      expect(references(await acme.get(`/v1/orders?reference=${encodeURIComponent(reference)}`))).toEqual([reference]);
    }
  });

  it('select orders by ids, the beginning of their reference, and ranges of time', async () => {
    const { acme } = await anApiWithOrders(3);
    const ids = listAt((await acme.get('/v1/orders?offset=1')).body, 'data').map((order) => textAt(order, 'id'));
    const time = (second: number) => `2026-01-02T03:04:0${second}.678Z`;
    for (const [query, expected] of [
      [`ids=${NO_ORDER},${ids.join().toUpperCase()}`, ['A-2', 'A-1']],
      ['reference_prefix=A-', ['A-1', 'A-2', 'A-3']],
      [`created_at_from=${time(6)}&offset=1`, ['A-2']],
      [`created_at_before=${time(7)}&sort=updated_at`, ['A-1', 'A-2']],
      [`updated_at_from=${time(6)}&updated_at_before=${time(7)}`, ['A-2']],
    ] as const)
      expect([query, references(await acme.get(`/v1/orders?${query}`))]).toEqual([query, expected]);
  });

  it('select orders by customer, ignoring the case of the id', async () => {
    const { acme } = await anApi(await aDomainWithCustomer());
    const { response } = await acme.place({ customer_id: CUSTOMER_ID });
    await acme.place();
    const found = await acme.get(`/v1/orders?customer_id=${CUSTOMER_ID.toUpperCase()}`);
    expect(at(found.body, 'data')).toEqual([response.body]);
    expect(at((await acme.get(`/v1/orders?customer_id=${NO_ORDER}`)).body, 'data')).toEqual([]);
  });
});
