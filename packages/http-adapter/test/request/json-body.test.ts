import { describe, expect, it } from 'vitest';
import { anApi } from '../fixtures/an-api.ts';
import { aNewItem, aNewOrder } from '../fixtures/new-orders.ts';
const url = '/v1/orders';
const PATCH_TYPES = 'application/merge-patch+json, application/json, application/vnd.orders.v1+json';

describe('a readable body', () => {
  it('has the last of two members with the same name', async () => {
    const { acme } = await anApi();
    const payload = `{"note":"first","items":${JSON.stringify([aNewItem()])},"note":"last"}`;
    const response = await acme.send({ method: 'POST', url, headers: { 'content-type': 'application/json' }, payload });
    expect(response).toMatchObject({ status: 201, body: { note: 'last' } });
  });

  it('accepts an integer in every JSON spelling, and nothing else', async () => {
    const { acme } = await anApi();
    const send = (quantity: string) => {
      const payload = JSON.stringify(aNewOrder({ items: [aNewItem({ quantity: 0 })] }));
      const headers = { 'content-type': 'application/json' };
      return acme.send({
        method: 'POST',
        url,
        headers,
        payload: payload.replace('"quantity":0', `"quantity":${quantity}`),
      });
    };
    for (const quantity of ['1e3', '1000.0']) {
      expect(await send(quantity)).toMatchObject({ status: 201, body: { items: [{ quantity: 1000 }] } });
    }
    for (const quantity of ['19.99', '"5"', 'true', '1e400']) {
      expect(await send(quantity)).toMatchObject({ status: 422, body: { errors: [{ field: 'items[0].quantity' }] } });
    }
  });

  it('is ignored on operations without a body', async () => {
    const { acme } = await anApi();
    const order = await acme.place();
    const body = { headers: { 'content-type': 'text/plain' }, payload: 'whatever' };
    expect((await acme.send({ method: 'GET', url, ...body })).status).toBe(200);
    expect((await acme.send({ method: 'DELETE', url: order.url, ...body })).status).toBe(204);
  });
});

describe('the media type of a body', () => {
  it('is listed in Accept-Patch for a rejected content coding, too', async () => {
    const { acme } = await anApi();
    const refused = await acme.patch((await acme.place()).url, {}, { 'content-encoding': 'gzip' });
    const headers = { 'accept-encoding': 'identity', 'accept-patch': PATCH_TYPES };
    expect(refused).toMatchObject({ status: 415, headers });
  });

  it('is a merge patch for PATCH alone', async () => {
    const { acme } = await anApi();
    const response = await acme.post(url, aNewOrder(), { 'content-type': 'application/merge-patch+json' });
    expect(response.status).toBe(415);
  });
});
