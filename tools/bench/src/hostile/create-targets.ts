import { z } from 'zod';
import { WrongResponse } from '../cases/wrong-response.ts';
import { type HostileClient, whileUnavailable } from './hostile-client.ts';
import { NO_TARGETS, validRequest } from './hostile-requests.ts';
import { DOCUMENT, type Route, routesOf, type Targets } from './routes.ts';

const Created = z.object({ id: z.string() });
const Endpoints = z.object({ data: z.array(Created) });

/** Returns the routes that a server documents, and the pages around them. */
export async function readRoutes(client: HostileClient): Promise<readonly Route[]> {
  return routesOf(JSON.parse(await bodyOf(client, DOCUMENT, NO_TARGETS, '')));
}

/** More bytes than any route accepts. */
const TOO_MANY_BYTES = 2 ** 21;

/** Returns routes with the limits of their bodies, which the server reports when it rejects one. */
export async function withBodyLimits(
  client: HostileClient,
  routes: readonly Route[],
  apiKey: string,
): Promise<readonly Route[]> {
  const limited: Route[] = [];
  for (const route of routes) {
    const send = () => client.send(validRequest(route, NO_TARGETS, undefined, TOO_MANY_BYTES), apiKey);
    const response = route.body && (await whileUnavailable(send));
    const bodyLimit = response ? Number(/at most (\d+) bytes/.exec(response.body)?.[1]) : 0;
    if (Number.isNaN(bodyLimit)) throw new WrongResponse(`${route.id} reports no limit: ${response?.body ?? ''}`);
    limited.push({ ...route, bodyLimit });
  }
  return limited;
}

/** Creates the largest resources of an owner, and deletes its webhook endpoints, of which it may have few. */
export async function createTargets(
  client: HostileClient,
  routes: readonly Route[],
  apiKey: string,
  custom?: object,
): Promise<Targets> {
  const send = (id: string, targets: Targets) => {
    const route = routes.find((each) => each.id === id);
    if (!route) throw new Error(`the document has no ${id}`);
    return bodyOf(client, route, targets, apiKey, custom);
  };
  const create = async (id: string, targets: Targets) => Created.parse(JSON.parse(await send(id, targets))).id;
  for (const { id } of Endpoints.parse(JSON.parse(await send('list_webhook_endpoints', NO_TARGETS))).data)
    await send('delete_webhook_endpoint', { ...NO_TARGETS, webhook_endpoints: id });
  const buyer = await create('create_customer', NO_TARGETS);
  return {
    buyer,
    customers: await create('create_customer', NO_TARGETS),
    orders: await create('place_order', { ...NO_TARGETS, buyer }),
    webhook_endpoints: await create('create_webhook_endpoint', NO_TARGETS),
  };
}

async function bodyOf(
  client: HostileClient,
  route: Route,
  targets: Targets,
  apiKey: string,
  custom?: object,
): Promise<string> {
  const response = await whileUnavailable(() => client.send(validRequest(route, targets, custom), apiKey));
  if (response && response.status < 300) return response.body;
  throw new WrongResponse(`${route.id} got ${response?.status ?? 'no response'}: ${response?.body ?? ''}`);
}
