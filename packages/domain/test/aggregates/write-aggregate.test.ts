import {
  type Conflict,
  createDomain,
  type DefaultDefinition,
  type Found,
  type Loaded,
  type Order,
  type OrderRepository,
  untyped,
  type UntypedDomain,
} from '@orders/domain';
import { fixedClock, type InMemoryStore, inMemoryStore, sequentialIds } from '@orders/domain/testing';
import { err, errAsync, ok, okAsync, ResultAsync } from 'neverthrow';
import { describe, expect, it } from 'vitest';
import { only } from '../../src/aggregates/write-aggregate.ts';
import { aBody, fails, NOW, OWNER, succeeds, UNKNOWN_ID } from '../fixtures/a-domain.ts';
import { FAILURES, interfere } from './interfered-store.ts';
import { aSubject, COMMANDS, type Commands, KINDS, type Outcome, PLANS, type Summary } from './written-kinds.ts';

const KEY = { idempotencyKey: 'key-1' };
const REUSED = { type: 'idempotency_key_reused' };
const CASES = KINDS.flatMap((kind) => PLANS.map((plan) => ({ kind, ...plan })));

type Command = (commands: Commands, id: string) => Outcome;

/** Returns what a write and its replay have in common. The id of an aggregate depends on how many came before. */
function withoutEvent({ version, value }: Summary): object {
  return { version, value };
}

describe.each(CASES)(
  'a write of a $kind, looked up first: $lookUpFirst, locked first: $lockFirst',
  ({ kind, ...plan }) => {
    const open = () => aSubject(kind, plan);
    const notFound = (id: string | null) => ({ type: `${kind}_not_found`, id });
    /** The call that stores a change or deletion. */
    const write = plan.lockFirst ? 'commitLocked' : 'commit';

    it('creates, changes and deletes', async () => {
      const subject = await open();
      const { id, ...created } = await succeeds(subject.create('new'));
      expect(created).toMatchObject({ version: 1, value: null, replayed: false });
      expect(created.event).toMatch(/(placed|created) v1$/);
      const changed = await succeeds(subject.change(subject.id, 'a'));
      expect(changed).toEqual({ id: subject.id, version: 2, value: 'a', event: `${kind}.changed v2`, replayed: false });
      const deleted = await succeeds(subject.remove(subject.id));
      const none = { id: null, version: null, value: null };
      expect(deleted).toEqual({ ...none, event: `${kind}.deleted v3`, replayed: false });
      expect(id).not.toBe(subject.id);
      expect(await fails(subject.change(subject.id, 'b'))).toEqual(notFound(subject.id));
      expect(await fails(subject.remove(subject.id))).toEqual(notFound(subject.id));
    });

    it.each<[string, Command]>([
      ['a creation', (commands) => commands.create('new', KEY)],
      ['a change', (commands, id) => commands.change(id, 'a', KEY)],
      ['a change of one version', (commands, id) => commands.change(id, 'a', { ...KEY, ifVersion: [1] })],
      ['a change of nothing', (commands, id) => commands.change(id, null, KEY)],
    ])('replays %s, whatever has happened since', async (_, run) => {
      const subject = await open();
      const first = await succeeds(run(subject, subject.id));
      expect(first.replayed).toBe(false);
      const replay = { ...first, event: null, replayed: true };
      expect(await succeeds(run(subject, subject.id))).toEqual(replay);
      const id = first.id ?? '';
      await succeeds(subject.elsewhere.change(id, 'later'));
      const before = await subject.stored();
      expect(await succeeds(run(subject, subject.id))).toEqual(replay);
      expect(await subject.stored()).toEqual(before);
      await succeeds(subject.elsewhere.remove(id));
      // A deletion erases the versions of all kinds but orders.
      expect(await run(subject, subject.id)).toEqual(kind === 'order' ? ok(replay) : err(notFound(id)));
    });

    it.each<[string, string, Command]>([
      ['creation', 'commit', (commands) => commands.create('new', KEY)],
      ['change', 'load', (commands, id) => commands.change(id, 'a', { ...KEY, ifVersion: [1] })],
      ['change', 'commit', (commands, id) => commands.change(id, 'a', { ...KEY, ifVersion: [1] })],
      ['change of nothing', 'commit', (commands, id) => commands.change(id, null, KEY)],
      ['deletion', 'load', (commands, id) => commands.remove(id, { ...KEY, ifVersion: [1] })],
      ['deletion', 'commit', (commands, id) => commands.remove(id, { ...KEY, ifVersion: [1] })],
    ])('replays a %s that was recorded just before the %s', async (_, call, run) => {
      const subject = await open();
      let stored: readonly string[] = [];
      let first: Summary | undefined;
      const retry = async () => {
        first = await succeeds(run(subject.elsewhere, subject.id));
        stored = await subject.stored();
      };
      for (const awaited of [call, 'commitLocked'])
        subject.before(awaited, () => (first ? okAsync(null) : ResultAsync.fromSafePromise(retry())));
      expect(await succeeds(run(subject, subject.id))).toEqual({ ...first, event: null, replayed: true });
      expect(await subject.stored()).toEqual(stored);
    });

    it('replays a deletion', async () => {
      const subject = await open();
      const first = await succeeds(subject.remove(subject.id, { ...KEY, ifVersion: [1] }));
      const before = await subject.stored();
      const again = await succeeds(subject.remove(subject.id, { ...KEY, ifVersion: [1] }));
      expect(again).toEqual({ ...first, event: null, replayed: true });
      expect(await subject.stored()).toEqual(before);
    });

    it('rejects a key of another command, before anything else', async () => {
      const subject = await open();
      const { id } = subject;
      await succeeds(subject.elsewhere.change(id, 'a', KEY));
      const before = await subject.stored();
      for (const outcome of [
        subject.create('given', KEY),
        subject.change(id, 'b', KEY),
        subject.change(id, 'b', { ...KEY, ifVersion: [1] }),
        subject.change(UNKNOWN_ID, 'a', KEY),
        subject.change(id, null, KEY),
        subject.remove(id, KEY),
        subject.remove(id, { ...KEY, ifVersion: [1] }),
        subject.remove(UNKNOWN_ID, KEY),
      ])
        expect(await fails(outcome)).toEqual(REUSED);
      expect(await subject.stored()).toEqual(before);
    });

    it('records no key of a rejected command', async () => {
      const subject = await open();
      const { id } = subject;
      const mismatch = { type: 'precondition_failed', current_version: 1 };
      expect(await fails(subject.change(id, 'a', { ...KEY, ifVersion: [2] }))).toEqual(mismatch);
      expect(await fails(subject.remove(id, { ...KEY, ifVersion: [2] }))).toEqual(mismatch);
      expect(await fails(subject.change(UNKNOWN_ID, 'a', KEY))).toEqual(notFound(UNKNOWN_ID));
      expect((await succeeds(subject.change(id, 'a', { ...KEY, ifVersion: [1] }))).replayed).toBe(false);
    });

    it('decides again about the newest version, whose decision counts', async () => {
      const subject = await open();
      const { id } = subject;
      subject.before(write, () => subject.elsewhere.change(id, 'a'));
      const changed = await succeeds(subject.change(id, 'b', { ifVersion: [1, 2] }));
      expect(changed).toEqual({ id, version: 3, value: 'b', event: `${kind}.changed v3`, replayed: false });
      subject.before(write, () => subject.elsewhere.change(id, 'c'));
      expect(await succeeds(subject.change(id, 'c'))).toMatchObject({ version: 4, event: null });
      subject.before(write, () => subject.elsewhere.change(id, 'd'));
      expect(await succeeds(subject.remove(id, KEY))).toMatchObject({ event: `${kind}.deleted v6` });
      expect(await succeeds(subject.remove(id, KEY))).toMatchObject({ replayed: true });
    });

    it('checks the expected version of the newest one', async () => {
      const subject = await open();
      const { id } = subject;
      for (const [index, options] of [{}, KEY].entries()) {
        const version = index + 1;
        subject.before(write, () => subject.elsewhere.change(id, `v${version}`));
        const mismatch = { type: 'precondition_failed', current_version: version + 1 };
        const expected = { ...options, ifVersion: [version] };
        expect(await fails(subject.change(id, 'mine', expected))).toEqual(mismatch);
        expect(await fails(subject.remove(id, expected))).toEqual(mismatch);
      }
    });

    it('does not find what was deleted meanwhile', async () => {
      const subject = await open();
      const { id } = subject;
      subject.before(write, () => subject.elsewhere.remove(id));
      expect(await fails(subject.change(id, 'a', KEY))).toEqual(notFound(id));
      expect(await fails(subject.remove(id, KEY))).toEqual(notFound(id));
    });

    it('records the key of a change of nothing at any version', async () => {
      const subject = await open();
      const { id } = subject;
      subject.before(write, () => subject.elsewhere.change(id, 'a'));
      const first = await succeeds(subject.change(id, plan.lockFirst ? 'a' : null, KEY));
      expect(first.event).toBe(null);
      const again = await succeeds(subject.change(id, plan.lockFirst ? 'a' : null, KEY));
      expect(again).toEqual({ ...first, replayed: true });
    });

    it.each<[string, Command]>([
      ['creates', (commands) => commands.create('new', KEY)],
      ['changes', (commands, id) => commands.change(id, 'a', KEY)],
      ['changes nothing', (commands, id) => commands.change(id, null, KEY)],
      ['deletes', (commands, id) => commands.remove(id, KEY)],
      ['rejects a change', (commands, id) => commands.change(id, 'a', { ...KEY, ifVersion: [2] })],
      ['rejects an unknown id', (commands) => commands.remove(UNKNOWN_ID, KEY)],
    ])('%s once with a retry, whichever call of the store fails', async (_, run) => {
      const undisturbed = await open();
      const expected = await run(undisturbed, undisturbed.id);
      const calls = undisturbed.takeCalls();
      for (const call of calls.keys()) {
        for (const { failure, error } of FAILURES) {
          const subject = await open();
          const write = () => run(subject, subject.id);
          subject.at(call, failure);
          expect(await Promise.resolve(write()).catch((exception: unknown) => err(exception))).toEqual(err(error));
          expect((await write()).map(withoutEvent)).toEqual(expected.map(withoutEvent));
          expect(await subject.stored()).toEqual(await undisturbed.stored());
        }
      }
    });

    it('lets concurrent changes never fail', async () => {
      const subject = await open();
      const { id } = subject;
      const numbers = Array.from({ length: 20 }, (_, index) => index);
      const outcomes = await Promise.all(
        numbers.map((number) =>
          succeeds(subject.change(id, `${number}`, number % 2 === 0 ? {} : { idempotencyKey: `key-${number}` })),
        ),
      );
      const versions = outcomes.map(({ version }) => version).toSorted((left, right) => Number(left) - Number(right));
      expect(versions).toEqual(numbers.map((number) => number + 2));
      expect(outcomes.map(({ value }) => value)).toEqual(numbers.map(String));
    });

    it('stores one of many concurrent commands with one key', async () => {
      const subject = await open();
      const { id } = subject;
      for (const run of [
        () => subject.create('new', { idempotencyKey: 'create' }),
        () => subject.change(id, 'a', { idempotencyKey: 'change' }),
        () => subject.remove(id, { idempotencyKey: 'delete' }),
      ]) {
        const outcomes = await Promise.all(Array.from({ length: 10 }, () => succeeds(run())));
        expect(outcomes.filter(({ replayed }) => !replayed)).toHaveLength(1);
        expect(outcomes.filter(({ event }) => event !== null)).toHaveLength(1);
        expect(new Set(outcomes.map((outcome) => outcome.id)).size).toBe(1);
      }
    });
  },
);

describe.each(PLANS)('a refusal of a store, looked up first: $lookUpFirst, locked first: $lockFirst', (plan) => {
  function open() {
    const { store, before } = interfere(inMemoryStore(), plan);
    return { domain: aDomainOn(store), before, events: store.events };
  }
  const write = plan.lockFirst ? 'commitLocked' : 'commit';

  it('is the error of an order', async () => {
    const { domain, before, events } = open();
    const unknown = { type: 'validation_failed', errors: [{ field: 'customer_id' }] };
    const { order } = await succeeds(domain.placeOrder(OWNER, aBody(), KEY));
    const { order: holder } = await succeeds(domain.placeOrder(OWNER, aBody({ reference: 'r' })));
    const taken = { type: 'reference_taken', order_id: holder.id };
    for (const key of [{}, { idempotencyKey: 'key-2' }]) {
      expect(await fails(domain.placeOrder(OWNER, aBody({ reference: 'r' }), key))).toEqual(taken);
      expect(await fails(domain.placeOrder(OWNER, aBody({ customer_id: UNKNOWN_ID }), key))).toMatchObject(unknown);
      expect(await fails(domain.changeOrder(OWNER, order.id, { reference: 'r' }, key))).toEqual(taken);
      expect(await fails(domain.changeOrder(OWNER, order.id, { customer_id: UNKNOWN_ID }, key))).toMatchObject(unknown);
    }
    before(write, () => domain.changeOrder(OWNER, order.id, { note: 'n' }));
    expect(await fails(domain.changeOrder(OWNER, order.id, { reference: 'r' }))).toEqual(taken);
    expect(events()).toHaveLength(3);
  });

  it('is the error of a customer', async () => {
    const { domain, before, events } = open();
    const { customer } = await succeeds(domain.createCustomer(OWNER, { email: 'a@example.com' }));
    const { customer: holder } = await succeeds(domain.createCustomer(OWNER, { email: 'b@example.com' }));
    const taken = { type: 'email_taken', customer_id: holder.id };
    await succeeds(domain.placeOrder(OWNER, aBody({ customer_id: customer.id })));
    for (const key of [{}, KEY]) {
      expect(await fails(domain.createCustomer(OWNER, { email: 'b@example.com' }, key))).toEqual(taken);
      expect(await fails(domain.changeCustomer(OWNER, customer.id, { email: 'b@example.com' }, key))).toEqual(taken);
      expect(await fails(domain.deleteCustomer(OWNER, customer.id, key))).toEqual({ type: 'customer_has_orders' });
    }
    before(write, () => domain.changeCustomer(OWNER, customer.id, { name: 'n' }));
    expect(await fails(domain.deleteCustomer(OWNER, customer.id))).toEqual({ type: 'customer_has_orders' });
    expect(events()).toHaveLength(4);
  });

  it('is the error of a further endpoint', async () => {
    const subject = await aSubject('webhook_endpoint', plan);
    const tooMany = { type: 'too_many_endpoints' };
    const create = () => subject.create('new');
    while ((await create()).isOk());
    expect(await fails(create())).toEqual(tooMany);
    expect(await fails(subject.create('new', KEY))).toEqual(tooMany);
    await succeeds(subject.remove(subject.id));
    expect((await succeeds(subject.create('new', KEY))).replayed).toBe(false);
    expect((await succeeds(subject.create('new', KEY))).replayed).toBe(true);
  });
});

describe('the order that a store has loaded', () => {
  const SOURCE = { column: 'of another release' };

  it.each([{ lockFirst: false }, { lockFirst: true }])(
    'comes back with each write, locked first: $lockFirst',
    async ({ lockFirst }) => {
      const { orders, ...store } = inMemoryStore();
      const loaded: (Loaded<Order> | null)[] = [];
      const withSource = (found: Loaded<Order> | null) => {
        const noted = found && { ...found, source: SOURCE };
        loaded.push(noted);
        return noted;
      };
      const written: unknown[] = [];
      const domain = aDomainOn({
        ...store,
        orders: {
          ...orders,
          plan: () => ({ lookUpFirst: false, lockFirst }),
          load: (owner, id) => orders.load(owner, id).map(withSource),
          commit: (owner, write) => {
            if (write.kind !== 'create') written.push(write.before);
            return orders.commit(owner, write);
          },
          commitLocked: (owner, id, lookUp, decide) =>
            orders.commitLocked(owner, id, lookUp, (found) => {
              const decided = decide({ ...found, loaded: withSource(found.loaded) });
              if (decided.write && decided.write.kind !== 'create') written.push(decided.write.before);
              return decided;
            }),
        },
      });
      const { order } = await succeeds(domain.placeOrder(OWNER, aBody()));
      await succeeds(domain.changeOrder(OWNER, order.id, { note: 'n' }));
      await succeeds(domain.changeOrder(OWNER, order.id, { note: 'n' }, KEY));
      await succeeds(domain.deleteOrder(OWNER, order.id));
      expect(written).toHaveLength(3);
      expect(written.map((before, index) => before === loaded[index])).toEqual([true, true, true]);
    },
  );

  it('is decided about once more after a rollback, and the last decision counts', async () => {
    const { orders, ...store } = inMemoryStore();
    const rolledBack: Found<Order>[] = [{ loaded: null, recorded: null }];
    const domain = aDomainOn({
      ...store,
      orders: {
        ...orders,
        plan: () => ({ lookUpFirst: false, lockFirst: true }),
        commitLocked: (owner, id, lookUp, decide) =>
          orders.commitLocked(owner, id, lookUp, (found) => {
            for (const before of rolledBack) decide(before);
            return decide(found);
          }),
      },
    });
    const { order } = await succeeds(domain.placeOrder(OWNER, aBody()));
    rolledBack.push({ loaded: { aggregate: { ...order, note: 'n', version: 7 } }, recorded: null });
    rolledBack.push({ loaded: null, recorded: { sameCommand: true, id: order.id, aggregate: order } });
    const changed = await succeeds(domain.changeOrder(OWNER, order.id, { note: 'n' }, { ifVersion: [1] }));
    expect(changed).toMatchObject({ order: { version: 2, note: 'n' }, event: { version: 2 }, replayed: false });
    const deleted = await succeeds(domain.deleteOrder(OWNER, order.id));
    expect(deleted).toMatchObject({ event: { version: 3 }, replayed: false });
  });
});

it('reads the plan of each write by its key', async () => {
  const { orders, ...store } = inMemoryStore();
  const keys: unknown[] = [];
  const plan: OrderRepository['plan'] = (key) => {
    keys.push(key?.key);
    return { lookUpFirst: false, lockFirst: false };
  };
  const domain = aDomainOn({ ...store, orders: { ...orders, plan } });
  const { order } = await succeeds(domain.placeOrder(OWNER, aBody(), KEY));
  await succeeds(domain.placeOrder(OWNER, aBody()));
  await succeeds(domain.changeOrder(OWNER, order.id, { note: 'n' }, { idempotencyKey: 'key-2' }));
  await succeeds(domain.changeOrder(OWNER, order.id, { note: 'm' }));
  await succeeds(domain.deleteOrder(OWNER, order.id, { idempotencyKey: 'key-3' }));
  expect(keys).toEqual(['key-1', undefined, 'key-2', undefined, 'key-3']);
});

it.each(['order', 'customer'] as const)('takes no id for a retry of a new %s that is looked up first', async (kind) => {
  const { store } = interfere(inMemoryStore(), { lookUpFirst: true, lockFirst: false });
  const [ids, taken] = [sequentialIds(), new Set<string>()];
  const next = () => {
    const id = ids.next();
    taken.add(id);
    return id;
  };
  const commands = COMMANDS[kind]({ ...store, clock: fixedClock(NOW), ids: { next } });
  await succeeds(commands.create('new', KEY));
  const { size } = taken;
  expect(await succeeds(commands.create('new', KEY))).toMatchObject({ replayed: true });
  expect(taken.size).toBe(size);
});

describe('a write', () => {
  it.each(KINDS)('rejects a promise when the id of a new %s exists already', async (kind) => {
    const store = inMemoryStore();
    const commands = COMMANDS[kind]({ ...store, clock: fixedClock(NOW), ids: { next: () => UNKNOWN_ID } });
    const first = await succeeds(commands.create('one'));
    await expect(commands.create('two', KEY)).rejects.toThrow('ids must be unique');
    await succeeds(commands.remove(first.id ?? ''));
    await expect(commands.create('two', KEY)).rejects.toThrow('ids must be unique');
  });

  it('rejects a promise when its clock throws, and stores nothing', async () => {
    const now = () => {
      throw new Error('the clock has stopped');
    };
    for (const plan of PLANS) {
      const { store, takeCalls } = interfere(inMemoryStore(), plan);
      const { order } = await succeeds(aDomainOn(store).placeOrder(OWNER, aBody()));
      takeCalls();
      const domain = untyped(createDomain({ ...store, clock: { now }, ids: sequentialIds() }));
      await expect(domain.changeOrder(OWNER, order.id, { note: 'n' })).rejects.toThrow('the clock has stopped');
      expect(takeCalls()).toEqual([plan.lockFirst ? 'commitLocked' : 'load']);
      expect(store.events()).toHaveLength(1);
    }
  });

  it.each<[string, Conflict<never, never>, string]>([
    ['stale creation', { type: 'stale' }, 'does not depend on a version'],
    [
      'placed order that was erased',
      { type: 'key_used', recorded: { sameCommand: true, id: UNKNOWN_ID, aggregate: null } },
      'order_not_found',
    ],
  ])('rejects a promise when its store returns a %s', async (_, conflict, message) => {
    const { orders, ...store } = inMemoryStore();
    const domain = aDomainOn({ ...store, orders: { ...orders, commit: () => errAsync(conflict) } });
    await expect(domain.placeOrder(OWNER, aBody(), KEY)).rejects.toThrow(message);
  });

  it.each([
    { lockFirst: false, type: 'id_taken' },
    { lockFirst: true, type: 'id_taken' },
    { lockFirst: true, type: 'stale' },
  ] as const)('rejects a promise when a change is $type, locked first: $lockFirst', async ({ lockFirst, type }) => {
    const { orders, ...store } = inMemoryStore();
    const { order } = await succeeds(aDomainOn({ ...store, orders }).placeOrder(OWNER, aBody()));
    const plan = () => ({ lookUpFirst: false, lockFirst });
    const conflict = () => errAsync({ type });
    const domain = aDomainOn({ ...store, orders: { ...orders, plan, commit: conflict, commitLocked: conflict } });
    const message = type === 'stale' ? 'that held the lock' : 'ids must be unique';
    await expect(domain.changeOrder(OWNER, order.id, { note: 'n' })).rejects.toThrow(message);
  });

  it('rejects a promise when its store returns a refusal that it cannot have', async () => {
    const { orders, customers, webhookEndpoints, ...store } = inMemoryStore();
    const real = { ...store, orders, customers, webhookEndpoints, clock: fixedClock(NOW), ids: sequentialIds() };
    const refused = <Reason>(reason: Reason) => ({ commit: () => errAsync({ type: 'refused' as const, reason }) });
    const taken = refused({ type: 'reference_taken', order_id: UNKNOWN_ID } as const);
    const unknown = refused({ type: 'unknown_customer' } as const);
    const email = refused({ type: 'email_taken', customer_id: UNKNOWN_ID } as const);
    const hasOrders = refused({ type: 'customer_has_orders' } as const);
    const tooMany = refused({ type: 'too_many_endpoints' } as const);
    const plan = () => ({ lookUpFirst: false, lockFirst: false });
    const ids = {
      order: (await succeeds(COMMANDS.order(real).create('given'))).id ?? '',
      customer: (await succeeds(COMMANDS.customer(real).create('given'))).id ?? '',
      webhook_endpoint: (await succeeds(COMMANDS.webhook_endpoint(real).create('given'))).id ?? '',
    };
    const ofOrders = (commit: Partial<typeof orders>) =>
      COMMANDS.order({ ...real, orders: { ...orders, plan, ...commit } });
    const ofCustomers = (commit: Partial<typeof customers>) =>
      COMMANDS.customer({ ...real, customers: { ...customers, plan, ...commit } });
    const ofEndpoints = (commit: Partial<typeof webhookEndpoints>) =>
      COMMANDS.webhook_endpoint({ ...real, webhookEndpoints: { ...webhookEndpoints, plan, ...commit } });
    for (const [write, message] of [
      [() => ofOrders(taken).remove(ids.order), 'reference_taken'],
      [() => ofOrders(unknown).remove(ids.order), 'unknown_customer'],
      [() => ofCustomers(hasOrders).create('new'), 'customer_has_orders'],
      [() => ofCustomers(hasOrders).change(ids.customer, 'a'), 'customer_has_orders'],
      [() => ofCustomers(email).remove(ids.customer), 'email_taken'],
      [() => ofEndpoints(tooMany).change(ids.webhook_endpoint, 'a'), 'too_many_endpoints'],
      [() => ofEndpoints(tooMany).remove(ids.webhook_endpoint), 'too_many_endpoints'],
    ] as const)
      await expect(write()).rejects.toThrow(`the store returned ${message} for a write that cannot cause it`);
  });

  it('throws when a command is rejected with an error that its list lacks', () => {
    expect(() => only(['negative_total'])({ type: 'reference_taken' })).toThrow(
      'reference_taken is no error of this write',
    );
  });
});

function aDomainOn(store: InMemoryStore): UntypedDomain<DefaultDefinition> {
  return untyped(createDomain({ ...store, clock: fixedClock(NOW), ids: sequentialIds() }));
}
