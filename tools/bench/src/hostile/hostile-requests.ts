import { bodyFamilies, valueIn } from './hostile-bodies.ts';
import { HEADER_FAMILIES, hostilePath, QUERY_FAMILIES } from './hostile-heads.ts';
import { HOSTILE_VALUES, utf8 } from './hostile-json.ts';
import type { HostileDefinition } from './definitions.ts';
import type { Random } from './random.ts';
import type { Body, Route, Targets } from './routes.ts';

/** A request before it is written. Header names are in lower case. */
export interface Request {
  readonly route: Route;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Bytes as characters. */
  readonly body: string | undefined;
}

/** A way to generate requests. */
export interface Family {
  readonly name: string;
  readonly generate: (random: Random, targets: (route: Route) => Targets) => Request;
}

/** Returns the path of a route with targets in it. */
function pathOf({ path, query }: Route, targets: Targets): string {
  const collection = /^\/v1\/(orders|customers|webhook_endpoints)\//.exec(path)?.[1];
  const id =
    collection === 'orders' || collection === 'customers' || collection === 'webhook_endpoints'
      ? targets[collection]
      : '';
  return `${path.replace('{id}', id).replace('{version}', '1')}${query}`;
}

/**
 * Returns the largest valid request of a route. `custom` is what a definition adds to an order. White space makes a body
 * as long as `bytes`.
 */
export function validRequest(route: Route, targets: Targets, custom?: object, bytes = 0): Request {
  const body = largestBody(route, targets, custom);
  return requestOf(route, targets, body && utf8(JSON.stringify(body)).padEnd(bytes));
}

function largestBody({ body, id }: Route, targets: Targets, custom?: object): Body | undefined {
  const largest = body?.(targets);
  return custom && (id === 'place_order' || id === 'change_order') ? { ...largest, custom } : largest;
}

function requestOf(route: Route, targets: Targets, body?: string): Request {
  return {
    route,
    path: pathOf(route, targets),
    headers: body !== undefined && route.type ? { 'content-type': route.type } : {},
    body,
  };
}

export const NO_TARGETS: Targets = { orders: '', customers: '', webhook_endpoints: '', buyer: '' };

/** Visits of a family that draws its route. */
const VISITS = 4;

/** Returns the families of requests to a server with the default definition. */
export function families(routes: readonly Route[]): readonly Family[] {
  const [first, ...more] = routes;
  if (!first) return [];
  const drawn = Array.from({ length: VISITS }, () => [
    ...Object.entries(HEADER_FAMILIES).map(([name, generate]): Family => ({
      name,
      generate: (random, targets) => {
        const route = random.pick([first, ...more]);
        const valid = validRequest(route, targets(route));
        return { ...valid, headers: { ...valid.headers, ...generate(random) } };
      },
    })),
    {
      name: 'a long path',
      generate: (random: Random, targets: (route: Route) => Targets) => {
        const route = random.pick([first, ...more]);
        const path = `${route.path.replace(/\{id\}.*|$/, '')}/${hostilePath(random)}`;
        return { ...validRequest(route, targets(route)), path };
      },
    },
  ]);
  return [...drawn.flat(), ...routes.flatMap((route) => [...queriesOf(route), ...bodiesOf(route)])];
}

function queriesOf(route: Route): readonly Family[] {
  const [first, ...more] = route.parameters;
  if (first === undefined) return [];
  return Object.entries(QUERY_FAMILIES).map(([name, generate]) => ({
    name,
    generate: (random, targets) => ({
      ...requestOf(route, targets(route)),
      path: `${pathOf({ ...route, query: '' }, targets(route))}?${generate(random, [first, ...more])}`,
    }),
  }));
}

function bodiesOf(route: Route): readonly Family[] {
  const { body, bodyLimit } = route;
  if (!body) return [];
  return bodyFamilies(body(NO_TARGETS), bodyLimit).map(({ name, generate }) => ({
    name,
    generate: (random, targets) => requestOf(route, targets(route), generate(random, body(targets(route)))),
  }));
}

const CUSTOM_LIMIT = 16 * 1024;

/** Returns the families of requests to a server with a hostile definition. */
export function customFamilies(routes: readonly Route[], definition: HostileDefinition): readonly Family[] {
  const written = routes.filter(({ id }) => id === 'place_order' || id === 'change_order');
  const small = { items: [{ sku: 'a', name: 'a', quantity: 1, unit_price: { amount: 1, currency: 'EUR' } }] };
  return written.flatMap((route) => {
    const others = route.id === 'place_order' ? small : {};
    return [
      ...Object.entries(definition.custom).map(([name, custom]): Family => {
        const body = JSON.stringify({ ...others, custom: 0 });
        // A patch is merged with what the order has.
        const removed = route.id === 'change_order' ? '"plain":null,' : '';
        return {
          name: `custom by ${name}`,
          generate: (random, targets) =>
            requestOf(
              route,
              targets(route),
              body.replace('"custom":0', () => `"custom":{${removed}${custom(random)}}`),
            ),
        };
      }),
      ...Object.keys(HOSTILE_VALUES).map((value): Family => ({
        name: `${value} as custom`,
        generate: (random, targets) =>
          requestOf(
            route,
            targets(route),
            valueIn('custom', value, random.pick([CUSTOM_LIMIT, route.bodyLimit])).generate(random, {
              ...others,
              custom: [{}],
            }),
          ),
      })),
    ];
  });
}
