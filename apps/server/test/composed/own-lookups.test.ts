import { randomUUID } from 'node:crypto';
import { newSignInToken, type OperatorRole } from '@orders/http-adapter/settings';
import { postgresAudit, postgresOperators } from '@orders/persistence';
import { expect, it, onTestFinished } from 'vitest';
import { aModule } from '../definition/definition-files.ts';
import { composeServer } from './composed-server.ts';

const DEFINITION = `export default ({ defineOrders, customFrom, z }) => defineOrders({
  lifecycle: { open: ['cancelled'], cancelled: [] }, initial: 'open', cancel: 'cancelled',
  custom: customFrom(z.strictObject({ patient: z.string() })), lookups: { patient: ({ patient }) => patient } });\n`;

it('what operators find by custom data is masked and recorded, because it confirms that somebody is there', async () => {
  const server = await composeServer({ ADMIN_PORT: '0', ORDERS_DEFINITION: await aModule(DEFINITION) });
  onTestFinished(server.close);
  const send = async (authorization: string, url: string, payload?: object) => {
    const headers = { host: '127.0.0.1:0', authorization, 'orders-owner': 'shop', 'orders-reason': 'ticket' };
    const request = payload ? ({ method: 'POST', payload } as const) : {};
    const response = await server.operators?.inject({ url, headers, ...request });
    return response?.json<Readonly<Record<string, unknown>>>() ?? {};
  };
  const signIn = async (role: OperatorRole) => {
    const { token, ...link } = newSignInToken(new Date());
    const by = { actor: 'command:test', reason: null };
    (await postgresOperators(server.database).create({ id: randomUUID(), name: role, role }, link, by))._unsafeUnwrap();
    const headers = { host: '127.0.0.1:0', authorization: `Bearer ${token}` };
    const response = await server.operators?.inject({ method: 'POST', url: '/admin/v1/sessions', headers });
    return `Bearer ${response?.json<{ token: string }>().token}`;
  };
  const [viewer, support] = [await signIn('viewer'), await signIn('support')];
  const item = { sku: 'A', name: 'A', quantity: 1, unit_price: { amount: 1, currency: 'EUR' } };
  const { id } = await send(support, '/v1/orders', { items: [item], custom: { patient: 'P-4711' } });
  const actions = async () => {
    const listed = await postgresAudit(server.database).list({ owner: 'shop', before: null, limit: 100 });
    return listed._unsafeUnwrap().records.map(({ action, subject, reason }) => [action, subject, reason]);
  };
  const before = (await actions()).length;
  for (const [path, action] of [
    ['/v1/orders', 'list_orders'],
    ['/admin/v1/orders', 'list_all_orders'],
  ] as const) {
    expect(await send(viewer, `${path}?lookup=own.patient:P-4711`)).toMatchObject({ required_scope: 'support' });
    const found = await send(support, `${path}?lookup=own.patient:P-4711`);
    expect(found).toMatchObject({ data: [{ id }] });
    expect(JSON.stringify(found['data'])).not.toContain('P-4711');
    expect((await actions())[0]).toEqual([action, null, null]);
  }
  expect((await actions()).length).toBe(before + 2);
});
