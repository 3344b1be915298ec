import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { ADDRESS_MEMBERS } from '@orders/domain';
import { expect, it } from 'vitest';
import { z } from 'zod';
import { placesOf } from '../../../../packages/persistence/test/erasures/places-of.ts';
import { aDatabase, startServerOn } from '../programs/server-on-database.ts';

const MARKER = `marker-${randomBytes(6).toString('hex')}`;
const ITEMS = [{ sku: 'TEA', name: 'Tea', quantity: 1, unit_price: { amount: 420, currency: 'EUR' } }];
/** The persons who are erased, one after the other, and the orders of each. Of four, one is deleted, and one goes to another buyer. */
const [PERSONS, ORDERS] = [4, 80];
const ENV = { RATE_LIMIT_WRITE: '100000', RATE_LIMIT_READ: '100000' };

it.each(['customer', 'guest'] as const)(
  'an erasure of a %s is finished by other servers, however often they are killed, with each order once',
  async (kind) => {
    const database = await aDatabase();
    const servers = [await startServerOn(database, ENV), await startServerOn(database, ENV)];
    const send = async (
      method: string,
      path: string,
      body?: object,
      headers: Readonly<Record<string, string>> = {},
    ) => {
      const [server] = servers;
      const user = { 'orders-external-user-id': MARKER, ...headers };
      return await server?.request(path, { method, headers: user, ...(body && { body: JSON.stringify(body) }) });
    };
    const place = async (path: string, body: object) =>
      z.object({ id: z.string() }).parse(await (await send('POST', path, body))?.json()).id;
    const countOf = async (rows: string) => {
      const [row] = await database.execute(`select count(*)::int as n from ${rows}`);
      return Number(row?.['n']);
    };
    const erased = () => countOf(`orders.changes where type = 'order.erased'`);
    const address = {
      ...Object.fromEntries(Object.keys(ADDRESS_MEMBERS).map((name) => [name, MARKER])),
      country: 'DE',
    };

    let [kills, late] = [0, 0];
    for (let person = 0, before = 0; person < PERSONS; person += 1, before += (ORDERS * 3) / 4) {
      const email = `${person}-${MARKER}@example.com`;
      const buyer = { name: MARKER, company: MARKER, email, phone: MARKER, tax_id: MARKER };
      const customer = kind === 'guest' ? null : await place('/v1/customers', { email, name: MARKER });
      const personal = {
        note: MARKER,
        metadata: { [MARKER]: MARKER },
        shipping_address: address,
        billing_address: address,
      };
      const order = { items: ITEMS, buyer, customer_id: customer, external_ids: { erp: ['4711'] }, ...personal };
      const orders: string[] = [];
      for (let count = 0; count < ORDERS; count += 1) {
        const id = await place('/v1/orders', order);
        await send('PATCH', `/v1/orders/${id}`, { note: `${MARKER} again` });
        if (count % 4 === 0) await send('DELETE', `/v1/orders/${id}`);
        else orders.push(id);
        const other = { buyer: { email: `another-${MARKER}@example.com` }, customer_id: null };
        if (count % 4 === 1) await send('PATCH', `/v1/orders/${id}`, other);
      }

      const [path, body] = customer ? [`/v1/customers/${customer}/erasures`] : ['/v1/erasures', { email }];
      const isPending = () =>
        countOf(`(select from orders.customers where erasure = 'pending'
          union all select from orders.erasures where email_key is not null) as pending`);
      const sent = { isRecorded: false };
      const request = async () => {
        while (!sent.isRecorded) {
          const response = await send('POST', path, body, { 'idempotency-key': `erasure-${person}` }).catch(
            () => undefined,
          );
          sent.isRecorded = response?.ok === true;
        }
      };
      /** Changes that were loaded before. */
      const writeLate = async () => {
        for (const id of orders.toSorted(() => Math.random() - 0.5).slice(0, 20)) {
          const patch = { note: `${MARKER} late` };
          const response = await send('PATCH', `/v1/orders/${id}`, patch, { 'if-match': '"2-1", "3-1"' }).catch(
            () => undefined,
          );
          late += Number(response?.status === 200);
        }
      };
      const work = Promise.all([request(), writeLate()]);
      for (
        let goal = before + 1;
        !sent.isRecorded || (await isPending()) > 0;
        goal = (await erased()) + 1 + Math.floor(Math.random() * 20)
      ) {
        const atMost = Date.now() + Math.random() * 1000;
        while (Date.now() < atMost && (await erased()) < goal) await sleep(2);
        // Now and then both, so that nothing goes on.
        const killed = Math.random() < 0.5 ? [0, 1] : [kills % 2];
        kills += killed.length;
        for (const at of killed) await servers[at]?.kill();
        for (const at of killed) servers[at] = await startServerOn(database, ENV);
      }
      await work;
    }
    expect(kills).toBeGreaterThanOrEqual(PERSONS);
    expect(late).toBeGreaterThan(0);
    expect(await erased()).toBe((PERSONS * ORDERS * 3) / 4);
    expect(
      await countOf(
        `(select from orders.changes where type = 'order.erased' group by aggregate_id having count(*) > 1) as twice`,
      ),
    ).toBe(0);
    expect(await countOf(`orders.orders where external_ids::text like '%4711%'`)).toBe((PERSONS * ORDERS * 3) / 4);
    expect(await database.execute(placesOf(MARKER))).toEqual([]);
  },
  600_000,
);
