import type { Conflict, Write } from '../../aggregates/aggregate-store.ts';
import { CONFLICT_ORDER, type ConflictRule } from '../../aggregates/conflict-order.ts';
import type { CustomerEvent } from '../../customers/customer-kind.ts';
import type { Customer } from '../../customers/customer.ts';
import type { Idempotency } from '../../shared/idempotency.ts';
import * as assert from '../assertions.ts';
import { aCustomer, aKey } from '../builders.ts';
import { type Cases, fails, loaded, succeeds } from '../contract-subject.ts';
import type { AnyOrder, AnyOrderEvent, OrderFixtures } from '../order-fixtures.ts';
import type { StoreBench } from '../store-bench.ts';

/** What a write has because of the rules that it violates. */
interface Violating {
  key?: Idempotency;
  readonly order: { id?: string; customer_id?: string; reference?: string };
  readonly customer: { id?: string; email?: string | null };
  /** The customer that is deleted. */
  deleted?: string;
}

type Operation = readonly [
  title: string,
  rules: readonly ConflictRule[],
  attempt: (bench: StoreBench, violating: Violating) => Promise<string>,
];

/** Returns the pairs of rules that one write can violate, each in the order of the checks. */
function conflictPairs(rules: readonly ConflictRule[]): readonly (readonly [ConflictRule, ConflictRule])[] {
  const ordered = CONFLICT_ORDER.filter((rule) => rules.includes(rule));
  return ordered
    .flatMap((first, index) => ordered.slice(index + 1).map((second) => [first, second] as const))
    .filter(([first, second]) => !(first === 'unknown_customer' && second === 'customer_erased'));
}

export function conflictOrderContract({ describe, it }: Cases<StoreBench>, { anOrder }: OrderFixtures): void {
  /** Stores what makes a write violate a rule. */
  const violate = async (rule: ConflictRule, bench: StoreBench, violating: Violating): Promise<void> => {
    const { order, customer } = violating;
    switch (rule) {
      case 'key_used':
        violating.key = aKey();
        return void (await bench.orders.stored(anOrder(), { ...violating.key, fingerprint: 'another command' }));
      case 'id_taken': {
        order.id = (await bench.orders.stored()).id;
        await bench.orders.remove(order.id);
        customer.id = (await bench.customers.stored()).id;
        return void (await bench.customers.remove(customer.id));
      }
      case 'unknown_customer':
        order.customer_id = aCustomer().id;
        return;
      case 'customer_has_orders':
        violating.deleted = (await bench.customers.stored()).id;
        return void (await bench.orders.stored(anOrder({ customer_id: violating.deleted })));
      case 'customer_erased':
        violating.deleted ??= (await bench.customers.stored()).id;
        order.customer_id = violating.deleted;
        return void (await bench.eraseCustomer(violating.deleted));
      case 'email_taken':
        customer.email = (await bench.customers.stored()).email;
        return;
      case 'reference_taken':
        order.reference = 'taken';
        return void (await bench.orders.stored(anOrder({ reference: 'taken' })));
      case 'too_many_endpoints':
        return assert.fail('no write of an order or a customer violates this rule');
    }
  };

  const orderWrite = ({ owner, orders }: StoreBench, write: Write<AnyOrder, AnyOrderEvent>) =>
    reasonOf(fails(orders.store.commit(owner, write)));
  const customerWrite = ({ owner, customers }: StoreBench, write: Write<Customer, CustomerEvent>) =>
    reasonOf(fails(customers.store.commit(owner, write)));
  const creation = (bench: StoreBench, { order, key }: Violating, version: number) => {
    const after = anOrder({ ...order, note: 'personal', version });
    const type = version === 1 ? 'order.placed' : 'order.imported';
    return { kind: 'create', after, event: bench.orders.eventOf(after, { type }), key } as const;
  };
  const customerCreation = ({ customers }: StoreBench, { customer, key }: Violating, version: number) => {
    const after = aCustomer({ ...customer, version });
    return { kind: 'create', after, event: customers.eventOf(after), key } as const;
  };

  const ofCreate = ['key_used', 'id_taken', 'unknown_customer', 'customer_erased', 'reference_taken'] as const;
  const ofCustomer = ['key_used', 'id_taken', 'email_taken'] as const;
  const operations: readonly Operation[] = [
    ...[1, 2, 7].map((version): Operation => [
      version === 1 ? 'the placing of an order' : `the import of an order at version ${version}`,
      ofCreate,
      (bench, violating) => orderWrite(bench, creation(bench, violating, version)),
    ]),
    [
      'an order of a batch',
      ofCreate,
      async (bench, violating) => {
        const creates = [creation(bench, { order: {}, customer: {} }, 1), creation(bench, violating, 2)];
        const { owner, orders } = bench;
        const [, outcome] = orders.store.commitAll ? await succeeds(orders.store.commitAll(owner, creates, false)) : [];
        return outcome?.isErr()
          ? await reasonOf(Promise.resolve(outcome.error))
          : await orderWrite(bench, creation(bench, violating, 2));
      },
    ],
    [
      'a change of an order',
      ['key_used', 'unknown_customer', 'customer_erased', 'reference_taken'],
      async (bench, { order, key }) => {
        const before = await loaded(bench.orders.store, bench.owner, (await bench.orders.stored()).id);
        const after = { ...before.aggregate, ...order, version: 2 };
        return await orderWrite(bench, { kind: 'change', before, after, event: bench.orders.eventOf(after), key });
      },
    ],
    ...[1, 2].map((version): Operation => [
      version === 1 ? 'the creation of a customer' : `the import of a customer at version ${version}`,
      ofCustomer,
      (bench, violating) => customerWrite(bench, customerCreation(bench, violating, version)),
    ]),
    [
      'a change of a customer',
      ['key_used', 'email_taken'],
      async (bench, { customer, key }) => {
        const before = await loaded(bench.customers.store, bench.owner, (await bench.customers.stored()).id);
        const after = { ...before.aggregate, ...customer, version: 2 };
        const event = bench.customers.eventOf(after);
        return await customerWrite(bench, { kind: 'change', before, after, event, key });
      },
    ],
    [
      'the deletion of a customer',
      ['key_used', 'customer_has_orders', 'customer_erased'],
      async (bench, { deleted, key }) => {
        const before = await loaded(bench.customers.store, bench.owner, deleted ?? '');
        return await customerWrite(bench, {
          kind: 'delete',
          before,
          event: bench.customers.deletionOf(before.aggregate),
          key,
        });
      },
    ],
  ];

  describe('of two rules that a write violates', () => {
    for (const [title, rules, attempt] of operations) {
      for (const [first, second] of conflictPairs(rules)) {
        it(`${first} comes before ${second}, for ${title}`, async (bench) => {
          const violating: Violating = { order: {}, customer: {} };
          for (const rule of [first, second]) await violate(rule, bench, violating);
          assert.equal(await attempt(bench, violating), first);
        });
      }
    }
  });
}

async function reasonOf(
  conflict: Promise<Conflict<unknown, { readonly type: string }> | { readonly type: 'unavailable' }>,
): Promise<string> {
  const settled = await conflict;
  return settled.type === 'refused' ? settled.reason.type : settled.type;
}
