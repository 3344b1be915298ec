import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ORDERS } from '@orders/domain';
import { DELIVERY_STATUSES } from '@orders/domain/webhooks';
import { describe, expect, it } from 'vitest';
import { parseAst } from 'vitest/node';

const src = join(import.meta.dirname, '../src');

/** Of webhooks, whose deliveries have statuses of their own, two of which have the name of one of an order. */
const OF_DELIVERIES = 'api/webhooks/';

const files = readdirSync(src, { recursive: true, encoding: 'utf8' })
  .map((path) => path.replaceAll('\\', '/'))
  .filter((path) => path.endsWith('.ts'));

/** The word for an order after a cancellation, whatever the name of its status. */
const CONCEPT = ORDERS.cancel;

/** Returns the names that `source` has outside its comments: whole texts and identifiers, and words within texts. */
function namedStatuses(source: string, ofOthers: readonly string[] = []): readonly string[] {
  const statuses = ORDERS.statuses.filter((status) => !ofOthers.includes(status));
  const whole = new Set([
    ...statuses,
    ...ORDERS.statuses.flatMap((status) => [`${status}_at`, `order.${status}`, `${status}_order`]),
  ]);
  const words = statuses.filter((status) => status !== CONCEPT);
  const within = new RegExp(
    `\\b(${words.join('|')})\\b|\\b(${ORDERS.statuses.join('|')})_at\\b|status: ${CONCEPT}`,
    'i',
  );
  const found: string[] = [];
  const visit = (value: unknown): void => {
    if (typeof value === 'string') {
      if (whole.has(value.toLowerCase()) || within.test(value)) found.push(value);
    } else if (Array.isArray(value)) for (const element of value) visit(element);
    else if (typeof value === 'object' && value !== null)
      for (const [key, member] of Object.entries(value)) if (key !== 'raw') visit(member);
  };
  visit(parseAst(source, { lang: 'ts' }));
  return found;
}

describe('the HTTP API', () => {
  it('names no status of the default definition', () => {
    expect(files.length).toBeGreaterThan(90);
    const naming = files.flatMap((path) => {
      const ofOthers = path.startsWith(OF_DELIVERIES) ? DELIVERY_STATUSES : [];
      return namedStatuses(readFileSync(join(src, path), 'utf8'), ofOthers).map((name) => `${path}: ${name}`);
    });
    expect(naming).toEqual([]);
  });
});

describe('the search for names', () => {
  it.each([
    [`if (order.status === 'paid') change();`, ['paid']],
    ['const type = `order.shipped`;', ['order.shipped']],
    [`const { delivered_at } = order;`, ['delivered_at', 'delivered_at']],
    [`const text = 'A pending order cannot become this';`, ['A pending order cannot become this']],
    ['const text = `requires status: cancelled`;', ['requires status: cancelled']],
    ['const text = "See `cancelled_at`";', ['See `cancelled_at`']],
    [`const code = 'order_already_cancelled', text = 'The order is already cancelled';`, []],
    [`/* paid */ const name = 'unpaid';`, []],
  ])('finds a status outside comments: %s', (source, names) => {
    expect(namedStatuses(source)).toEqual(names);
  });

  it('passes over the names of others, except where they are those of orders', () => {
    const source = `const statuses = ['pending', 'order.delivered', 'delivered_at', 'paid'];`;
    expect(namedStatuses(source, DELIVERY_STATUSES)).toEqual(['order.delivered', 'delivered_at', 'paid']);
  });
});
