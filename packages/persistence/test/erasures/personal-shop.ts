import { randomUUID } from 'node:crypto';
import { ADDRESS_MEMBERS, createDomain, type Domain } from '@orders/domain';
import { uuidv7Ids } from '@orders/domain/runtime';
import { aWebhookEndpoint, anEventOfEndpoint } from '@orders/domain/testing';
import { type OrdersDatabase, postgresAudit, postgresOrderComments, postgresStore } from '@orders/persistence';
import { COLUMNS } from '../../src/tables/personal-data.ts';
import { BAKERY, ITEMS } from '../definitions/bakery.ts';
import { execute } from '../fixtures/execute.ts';

type Bakery = typeof BAKERY;

/** What is in every field of a person and of the orders, and nowhere else. */
export const MARKER = `marker-${randomUUID().slice(0, 13)}`;

/** Returns a domain of the bakery over the ports of a database. */
export function bakeryOn(
  ports: Pick<ReturnType<typeof postgresStore<Bakery>>, 'orders' | 'customers'>,
): Domain<Bakery> {
  const now = () => new Date();
  return createDomain({ ...ports, clock: { now }, ids: uuidv7Ids() }, BAKERY);
}

/** A person with orders, each with the marker in every field of every version that may be personal. */
export interface Shop {
  readonly owner: string;
  readonly customerId: string;
  /** That of the customer. */
  readonly email: string;
  /** Those that exist: one of the customer, and one of no one any more. */
  readonly orders: readonly [string, string];
  readonly deleted: string;
}

/** Stores the marker in everything that an owner stores of a person: versions, retries and deliveries. */
export async function storePerson(database: OrdersDatabase<Bakery>): Promise<Shop> {
  const owner = randomUUID();
  const store = postgresStore(database);
  const domain = bakeryOn(store);
  const endpoint = aWebhookEndpoint<Bakery>({ include: ['resource'] });
  const event = anEventOfEndpoint(owner, endpoint);
  (
    await store.webhookEndpoints.commit(owner, { kind: 'create', after: endpoint, event, key: undefined })
  )._unsafeUnwrap();
  let keys = 0;
  const keyed = () => ({ idempotencyKey: `key-${(keys += 1)}`, externalUserId: MARKER });
  const person = { email: `${MARKER}@example.com`, name: MARKER, metadata: { [MARKER]: MARKER } };
  const { customer } = (await domain.createCustomer(owner, person, keyed()))._unsafeUnwrap();
  const customer_id = customer.id;
  const renamed = { email: `second-${MARKER}@example.com`, name: `${MARKER} again` };
  (await domain.changeCustomer(owner, customer_id, renamed, keyed()))._unsafeUnwrap();
  const address = {
    ...Object.fromEntries(Object.keys(ADDRESS_MEMBERS).map((name) => [name, MARKER])),
    country: 'DE',
  };
  const buyer = { name: MARKER, company: MARKER, email: person.email, phone: MARKER, tax_id: MARKER };
  const parties = { buyer, shipping_address: address, billing_address: address };
  const personal = {
    ...parties,
    note: MARKER,
    metadata: { [MARKER]: MARKER },
    custom: { pick_up: MARKER, [MARKER]: MARKER },
  };
  const orders: string[] = [];
  const comment = async (order_id: string) => {
    const by = { actor: 'operator:1', reason: MARKER };
    (await postgresOrderComments(database).add(owner, { order_id, text: MARKER }, by))._unsafeUnwrap();
  };
  for (let count = 0; count < 3; count += 1) {
    const placed = await domain.placeOrder(owner, { items: ITEMS, customer_id, ...personal }, keyed());
    const { id, items } = placed._unsafeUnwrap().order;
    const taken = [{ item_id: items[0]?.id ?? '', quantity: 1 }];
    const tracking = { carrier: MARKER, number: MARKER, url: MARKER };
    (await domain.fulfillItems(owner, id, { items: taken, tracking }, keyed()))._unsafeUnwrap();
    (await domain.returnItems(owner, id, { items: taken, reason: MARKER }, keyed()))._unsafeUnwrap();
    (await domain.cancelOrder(owner, id, { reason: MARKER }, keyed()))._unsafeUnwrap();
    await comment(id);
    orders.push(id);
  }
  const [first = '', , deleted = ''] = orders;
  (await domain.deleteOrder(owner, deleted, keyed()))._unsafeUnwrap();
  const placed = await domain.placeOrder(owner, { items: ITEMS, customer_id, ...personal }, keyed());
  const { id: moved } = placed._unsafeUnwrap().order;
  await comment(moved);
  (await domain.correctOrder(owner, moved, { status: 'baking', reason: MARKER }, keyed()))._unsafeUnwrap();
  (await domain.changeOrder(owner, moved, { customer_id: null }, keyed()))._unsafeUnwrap();
  for (const subject of [customer_id, ...orders, moved])
    (
      await postgresAudit(database).record({ owner, actor: 'operator:1', action: 'get', subject, reason: MARKER })
    )._unsafeUnwrap();
  // Deliveries of all events wait.
  (await store.webhookQueue.fanOut(owner))._unsafeUnwrap();
  return { owner, customerId: customer_id, email: renamed.email, orders: [first, moved], deleted };
}

/** Returns the columns of all tables that contain the marker, as `table.column`, in the rows of an owner. */
export async function columnsWithMarker(url: string, owner: string): Promise<readonly string[]> {
  const texts = Object.entries(COLUMNS).flatMap(([table, columns]) =>
    !('owner_id' in columns)
      ? []
      : Object.keys(columns).map(
          (column) => `select '${table}.${column}' as place from ${table}
            where owner_id = '${owner}' and ${column}::text like '%${MARKER}%'`,
        ),
  );
  const rows = await execute<{ place: string }>(url, `select distinct place from (${texts.join(' union all ')}) as it`);
  return rows.map(({ place }) => place).toSorted();
}
