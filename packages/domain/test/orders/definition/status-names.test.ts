import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ORDERS } from '@orders/domain';
import { DELIVERY_STATUSES } from '@orders/domain/webhooks';
import { describe, expect, it } from 'vitest';
import { parseAst } from 'vitest/node';

const src = join(import.meta.dirname, '../../../src');

/** The only file that may name a status of the default definition. */
const DEFINITION = 'orders/order-lifecycle.ts';

/** Files about deliveries of webhooks, whose own statuses are other words in each case but two. */
const OF_DELIVERIES = /webhook|endpoint-queue/;

const files = readdirSync(src, { recursive: true, encoding: 'utf8' })
  .map((path) => path.replaceAll('\\', '/'))
  .filter((path) => path.endsWith('.ts'));

const NAMES = new Set(
  ORDERS.statuses.flatMap((status) => [status, `${status}_at`, `order.${status}`]).map((name) => name.toLowerCase()),
);

/** Returns the names of statuses of orders that a file has. */
function namesIn(path: string): readonly string[] {
  const ownWords: readonly string[] = OF_DELIVERIES.test(path) ? DELIVERY_STATUSES : [];
  return namedStatuses(readFileSync(join(src, path), 'utf8')).filter((name) => !ownWords.includes(name));
}

/** Returns the names of statuses that a source has outside its comments: as text, a member or a type. */
function namedStatuses(source: string): readonly string[] {
  const found: string[] = [];
  const visit = (value: unknown): void => {
    if (typeof value === 'string' && NAMES.has(value.toLowerCase())) found.push(value);
    else if (Array.isArray(value)) for (const element of value) visit(element);
    else if (typeof value === 'object' && value !== null)
      for (const [key, member] of Object.entries(value)) if (key !== 'raw') visit(member);
  };
  visit(parseAst(source, { lang: 'ts' }));
  return found;
}

describe('the domain', () => {
  it('names statuses in the default definition alone', () => {
    expect(files.length).toBeGreaterThan(150);
    const naming = files.flatMap((path) =>
      path === DEFINITION ? [] : namesIn(path).map((name) => `${path}: ${name}`),
    );
    expect(naming).toEqual([]);
    expect(new Set(namesIn(DEFINITION))).toEqual(new Set(ORDERS.statuses));
  });
});

describe('the check of names', () => {
  it.each([
    [`if (order.status === 'paid') change();`, ['paid']],
    ['const type = `order.shipped`;', ['order.shipped']],
    [`const { delivered_at } = order;`, ['delivered_at', 'delivered_at']],
    [`type Terminal = 'cancelled';`, ['cancelled']],
    [`/* paid */ const text = 'order_already_cancelled, unpaid';`, []],
  ])('finds a status outside comments: %s', (source, names) => {
    expect(namedStatuses(source)).toEqual(names);
  });
});
