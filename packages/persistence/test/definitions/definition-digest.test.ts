import { defineOrders, type LifecycleTable, type OrderDefinition, ORDERS } from '@orders/domain';
import { describe, expect, it } from 'vitest';
import { definitionDigest } from '../../src/tables/order-definition-entity.ts';
import { BAKERY, EARLIER_BAKERY } from './bakery.ts';

const { custom: OWN, lifecycle } = BAKERY;
const { received, baking, ...others } = lifecycle;

interface Parts {
  readonly lifecycle?: LifecycleTable;
  readonly initial?: string;
  readonly cancel?: string;
  readonly custom?: typeof OWN;
}

/** Returns the digest of the bakery with some parts replaced. */
function digestWith({ lifecycle: table = lifecycle, initial = 'received', cancel = 'cancelled', custom = OWN }: Parts) {
  const definition: OrderDefinition = defineOrders({ lifecycle: table, initial, cancel, custom });
  return definitionDigest(definition);
}

describe('the digest of a definition', () => {
  it('is that of every definition that says the same, in whatever order', () => {
    const turned = { ...others, baking: baking.toReversed(), received: received.toReversed() };
    expect(digestWith({ lifecycle: turned })).toBe(definitionDigest(BAKERY));
    const schema = { required: ['pick_up'], type: 'object' };
    expect(digestWith({ custom: { ...OWN, schema } })).toBe(definitionDigest(BAKERY));
    const rules = { requires: { collected: ['ready'] }, refusals: { late: 'x' } } as const;
    expect(definitionDigest(defineOrders({ ...BAKERY, ...rules, guards: {}, lookups: {} }))).toBe(
      definitionDigest(BAKERY),
    );
  });

  it('differs when a status, a transition, a role or the schema of custom data differs', () => {
    const digests = [
      definitionDigest(ORDERS),
      definitionDigest(BAKERY),
      definitionDigest(EARLIER_BAKERY),
      digestWith({ lifecycle: { ...lifecycle, ready: ['collected', 'cancelled'] } }),
      digestWith({ cancel: 'collected' }),
      digestWith({ lifecycle: { ...others, baking, received, collected: ['received'] }, initial: 'baking' }),
      digestWith({ lifecycle: { ...others, baking, received, collected: ['received'] } }),
      digestWith({ custom: { ...OWN, schema: { type: 'object' } } }),
    ];
    expect(new Set(digests).size).toBe(digests.length);
    for (const digest of digests) expect(digest).toMatch(/^[\w-]{43}$/);
  });

  // Stored digests of a release must stay those of its definitions.
  it('stays the same across releases', () => {
    expect(definitionDigest(ORDERS)).toMatchInlineSnapshot(`"dNNrlIaCCPxKCkSz3xZ479xLep-qpNfjobEBZxWOeOg"`);
  });
});
