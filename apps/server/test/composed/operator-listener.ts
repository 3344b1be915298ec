import { randomUUID } from 'node:crypto';
import { newSignInToken, OPERATOR_ROLES, type OperatorRole } from '@orders/http-adapter/settings';
import { postgresAudit, postgresOperators } from '@orders/persistence';
import type { InjectOptions, LightMyRequestResponse } from 'fastify';
import { afterAll, beforeAll, expect } from 'vitest';
import { composeServer, type ComposedServer } from './composed-server.ts';

type Headers = Readonly<Record<string, string>>;

type Sent = Pick<InjectOptions, 'method' | 'url' | 'payload'> & { readonly headers?: Headers };

const HOST = '127.0.0.1:0';
export const REASON = { 'orders-reason': encodeURIComponent('a ticket') };
export const BY = { actor: 'command:test', reason: null };
export const MARKER = `marker-${randomUUID().slice(0, 8)}`;

const ADDRESS = { name: MARKER, line1: MARKER, city: MARKER, postal_code: MARKER, country: 'DE' };
export const ORDER = {
  items: [{ sku: 'BREAD', name: 'Bread', quantity: 2, unit_price: { amount: 250, currency: 'EUR' } }],
  buyer: { name: MARKER, email: `${MARKER}@example.com` },
  shipping_address: ADDRESS,
  billing_address: ADDRESS,
  note: MARKER,
  metadata: { marker: MARKER },
};

/** Composes a server with a listener for operators, for the tests of a file, and signs an operator of each role in. */
export function anOperatorListener(env: Headers = {}, parts: Parameters<typeof composeServer>[2] = {}) {
  let server: ComposedServer;
  const tokens = new Map<string, string>();
  const ids = new Map<string, string>();
  beforeAll(async () => {
    server = await composeServer({ ADMIN_PORT: '0', RATE_LIMIT_ANONYMOUS: '0', ...env }, undefined, parts);
    for (const role of OPERATOR_ROLES) await signIn(role);
  });
  afterAll(() => server.close());

  const send = async ({ headers, ...request }: Sent): Promise<LightMyRequestResponse> => {
    const response = await server.operators?.inject({ ...request, headers: { host: HOST, ...headers } });
    if (!response) throw new Error('there is no listener for operators');
    return response;
  };
  const as = (role: string, more: Headers = {}) => ({
    authorization: `Bearer ${tokens.get(role) ?? ''}`,
    ...more,
  });
  const forShop = (role: string, more: Headers = {}) => as(role, { 'orders-owner': 'shop', ...more });
  /** Creates an operator, and signs in. */
  async function signIn(role: OperatorRole, name: string = role): Promise<void> {
    const { token, ...link } = newSignInToken(new Date());
    const operator = { id: randomUUID(), name, role };
    (await postgresOperators(server.database).create(operator, link, BY))._unsafeUnwrap();
    const url = '/admin/v1/sessions';
    const signedIn = await send({ method: 'POST', url, headers: { authorization: `Bearer ${token}` } });
    expect(signedIn.statusCode).toBe(200);
    tokens.set(name, signedIn.json<{ token: string }>().token);
    ids.set(name, operator.id);
  }
  /** Places an order with the marker in everything personal, as support for the shop. */
  async function place() {
    const headers = forShop('support', { ...REASON, 'orders-external-user-id': MARKER });
    const customer = { email: `${randomUUID()}@${MARKER}.example`, name: MARKER, metadata: { marker: MARKER } };
    const created = await send({ method: 'POST', url: '/v1/customers', headers, payload: customer });
    expect(created.statusCode).toBe(201);
    const customer_id = created.json<{ id: string }>().id;
    const placed = await send({ method: 'POST', url: '/v1/orders', headers, payload: { ...ORDER, customer_id } });
    expect(placed.statusCode).toBe(201);
    const { id } = placed.json<{ id: string }>();
    const cancelled = await send({
      method: 'POST',
      url: `/v1/orders/${id}/cancel`,
      headers,
      payload: { reason: MARKER },
    });
    expect(cancelled.statusCode).toBe(200);
    return { id, customer_id };
  }
  return {
    send,
    as,
    forShop,
    signIn,
    place,
    /** Returns the id of an operator. */
    idOf: (name: string) => ids.get(name) ?? '',
    audit: async (owner: string | null = 'shop') =>
      (await postgresAudit(server.database).list({ owner, before: null, limit: 1000 }))._unsafeUnwrap().records,
    /** The server, once it is composed. */
    running: () => server,
  };
}
