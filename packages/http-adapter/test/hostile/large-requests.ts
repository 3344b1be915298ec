import type { Random } from '@orders/property-runs/random';
import { HEADER_FAMILIES, hostilePath, QUERY_FAMILIES } from './large-heads.ts';
import { HOSTILE_VALUES, malformed, utf8 } from './large-json.ts';
import { NO_TARGETS, type Route, type Targets } from './routes.ts';

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
  const { fulfillment_id } = targets;
  return `${path.replace('{id}', id).replace('{fulfillment_id}', fulfillment_id).replace('{version}', '1')}${query}`;
}

/** Returns the largest valid request of a route, or one with another body. */
export function validRequest(route: Route, targets: Targets, create = route.body): Request {
  const body = create && utf8(JSON.stringify(create(targets)));
  const headers = body !== undefined && route.type ? { 'content-type': route.type } : {};
  return { route, path: pathOf(route, targets), headers, body };
}

/** Visits of a family that draws its route. */
const VISITS = 4;

/** Returns the families of requests to a server. */
export function families(routes: readonly Route[]): readonly Family[] {
  const [first, ...more] = routes;
  if (!first) return [];
  const heads = Object.entries(HEADER_FAMILIES).map(([name, generate]): Family => ({
    name,
    generate: (random, targets) => {
      const route = random.pick([first, ...more]);
      const valid = validRequest(route, targets(route));
      return { ...valid, headers: { ...valid.headers, ...generate(random) } };
    },
  }));
  const path: Family = {
    name: 'a long path',
    generate: (random, targets) => {
      const route = random.pick([first, ...more]);
      const start = route.path.replace(/\{id\}.*|$/, '');
      return { ...validRequest(route, targets(route)), path: `${start}/${hostilePath(random)}` };
    },
  };
  const drawn = Array.from({ length: VISITS }, () => [...heads, path]);
  return [...drawn.flat(), ...routes.flatMap((route) => [...validOf(route), ...queriesOf(route), ...bodiesOf(route)])];
}

/** Returns the valid requests of a route, which may be dear, too. */
function validOf(route: Route): readonly Family[] {
  return Object.entries({ 'the largest valid request': route.body, ...route.bodies }).map(([name, body]) => ({
    name,
    generate: (_random, targets) => validRequest(route, targets(route), body),
  }));
}

function queriesOf(route: Route): readonly Family[] {
  const [first, ...more] = route.parameters;
  if (first === undefined) return [];
  return Object.entries(QUERY_FAMILIES).map(([name, generate]) => ({
    name,
    generate: (random, targets) => {
      const start = pathOf({ ...route, query: '' }, targets(route));
      return { ...validRequest(route, targets(route)), path: `${start}?${generate(random, [first, ...more])}` };
    },
  }));
}

type Valid = Readonly<Record<string, unknown>>;

/** Returns the families of bodies up to a limit in bytes: each hostile value in each place, and text that is no JSON. */
function bodiesOf(route: Route): readonly Family[] {
  const { body, bodyLimit } = route;
  if (!body) return [];
  const valid = body(NO_TARGETS);
  const inside = {
    items: ['items.sku', 'items.item_id', 'items.unit_price', 'items.unknown'],
    adjustments: ['adjustments.name', 'adjustments.amount', 'adjustments.unknown'],
    tracking: ['tracking.url'],
    metadata: ['metadata.key'],
    orders: ['orders.order', 'orders.idempotency_key'],
  };
  const nested = Object.entries(inside).flatMap(([member, places]) => (member in valid ? places : []));
  const places = ['the body', 'an unknown member', ...Object.keys(valid), ...nested];
  const families = [
    ...Object.entries(malformed(bodyLimit)),
    ...places.flatMap((place) =>
      Object.keys(HOSTILE_VALUES).map(
        (value) =>
          [
            `${value} as ${place}`,
            (random: Random, own: Valid) => valueIn(place, value, bodyLimit, random, own),
          ] as const,
      ),
    ),
  ];
  return families.map(([name, generate]) => ({
    name,
    generate: (random, targets) => ({
      ...validRequest(route, targets(route)),
      body: generate(random, body(targets(route))),
    }),
  }));
}

const MARK = 'hostile value';

/** Generates a hostile value in a place of an otherwise valid body. */
function valueIn(place: string, value: string, limit: number, random: Random, valid: Valid): string {
  const template = place === 'the body' ? `"${MARK}"` : utf8(JSON.stringify(withMark(valid, place)));
  const bytes = Math.max(1, random.size(limit) - template.length);
  const text = HOSTILE_VALUES[value]?.(random, bytes, place === 'the body' ? valid : (valid[place] ?? {})) ?? '';
  return template.replace(`"${MARK}"`, () => text);
}

function withMark(valid: Valid, place: string): Valid {
  if (place === 'an unknown member') return { ...valid, unknown: MARK };
  const [member = '', inner] = place.split('.');
  if (inner === undefined) return { ...valid, [member]: MARK };
  const value = valid[member];
  return { ...valid, [member]: Array.isArray(value) ? [{ ...value[0], [inner]: MARK }] : { [inner]: MARK } };
}
