import type { Client } from './client.ts';
import { changeTime } from './order-model.ts';
import type { Resource } from './resource.ts';

export async function createCustomer(client: Client): Promise<void> {
  const body = { email: `${client.next()}@example.com`, name: `Customer of ${client.name}` };
  const response = await client.write({ method: 'POST', path: '/v1/customers', body });
  const customer = client.read(response, 201, { ...body, metadata: {}, version: 1 });
  if (!customer) return;
  client.customers.set(customer.id, customer);
  client.ledger.changed(response.key, customer, 'customer.created');
}

export async function changeCustomer(client: Client): Promise<void> {
  const customer = aCustomer(client);
  if (!customer) return await createCustomer(client);
  const body = { name: `Renamed as ${client.next()}` };
  const response = await client.write({ method: 'PATCH', path: `/v1/customers/${customer.id}`, body });
  const updated_at = changeTime(response.body);
  const after = client.read(response, 200, { ...customer, ...body, version: customer.version + 1, updated_at });
  if (!after) return;
  client.customers.set(after.id, after);
  client.ledger.changed(response.key, after, 'customer.changed');
}

/** Deletes a customer; the API rejects the deletion of one with orders. */
export async function deleteCustomer(client: Client): Promise<void> {
  const customer = aCustomer(client);
  if (!customer) return await createCustomer(client);
  const response = await client.write({ method: 'DELETE', path: `/v1/customers/${customer.id}` });
  const hasOrders = [...client.orders.values()].some((order) => order['customer_id'] === customer.id);
  if (hasOrders) return void client.refused(response, 409, 'customer_has_orders');
  if (response.status !== 204) return client.ledger.contradicts(`${response.status} to a deletion: ${response.text}`);
  client.customers.delete(customer.id);
  client.ledger.deleted(response.key, customer, 'customer.deleted');
}

export async function getCustomer(client: Client): Promise<void> {
  const customer = aCustomer(client);
  if (!customer) return await createCustomer(client);
  client.read(await client.send({ method: 'GET', path: `/v1/customers/${customer.id}` }), 200, customer);
}

function aCustomer({ customers, random }: Client): Resource | undefined {
  return random.pick([...customers.values()]);
}
