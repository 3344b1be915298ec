import { err, ok, type ResultAsync } from 'neverthrow';
import type { Domain } from '../domain.ts';
import { handled, type OkOf, type Work } from '../handled-failures.ts';
import type { Owner } from '../shared/ids.ts';
import * as assert from './assertions.ts';
import { anOwner, casesOf, fails, type Open, succeeds, type TestRunner } from './contract-subject.ts';

/** A store with transactions of a host. */
export interface TransactionSubject {
  /** The use cases outside transactions. */
  readonly domain: Domain;
  readonly transaction: <R>(
    work: (transaction: { readonly domain: Domain }) => Work<R>,
  ) => ResultAsync<OkOf<R>, unknown>;
}

const ITEM = { sku: 'TEA', name: 'Tea', quantity: 1, unit_price: { amount: 300, currency: 'EUR' } };
const UNKNOWN_ID = '019b0000-0000-7000-8000-ffffffffffff';
const BATCHED = { order: { items: [ITEM], reference: 'R-1' } };

const placeTaken = (domain: Domain, owner: Owner) => domain.placeOrder(owner, { items: [ITEM], reference: 'R-1' });
type Placing = ReturnType<typeof placeTaken>;

/** Registers with `runner` what the transactions of a store promise to a host. Each test uses owners of its own. */
export function transactionContract(runner: TestRunner, open: Open<TransactionSubject>): void {
  const { describe, it } = casesOf(runner, async () => {
    const { domain, transaction } = await open();
    const owner = anOwner();
    const references = async () => (await succeeds(domain.listOrders(owner))).data.map(({ reference }) => reference);
    return { domain, transaction, owner, references };
  });

  describe('a transaction', () => {
    it('commits its writes together, reads them before, and lets others read them after', async (bench) => {
      const { domain: outside, transaction, owner, references } = bench;
      const committed = transaction(async ({ domain }) => {
        const { customer } = await succeeds(
          domain.createCustomer(owner, { email: `${owner.replace(' ', '')}@a.example` }),
        );
        const { order } = await succeeds(domain.placeOrder(owner, { items: [ITEM], customer_id: customer.id }));
        assert.deepEqual(await succeeds(domain.getOrder(owner, order.id)), order);
        return ok(order);
      });
      const order = await succeeds(committed);
      assert.deepEqual(await succeeds(outside.getOrder(owner, order.id)), order);
      assert.deepEqual(await references(), [null]);
    });

    for (const [end, text] of [
      [() => err({ type: 'no_shelf' as const }), 'returns an error'],
      [
        (): never => {
          throw new Error('of the host');
        },
        'throws',
      ],
    ] as const)
      it(`stores nothing, and uses no key, when it ${text}`, async (bench) => {
        const { domain: outside, transaction, owner, references } = bench;
        const before = await succeeds(outside.placeOrder(owner, { items: [ITEM] }));
        const working = transaction(async ({ domain }) => {
          await succeeds(domain.placeOrder(owner, { items: [ITEM], reference: 'R-1' }, { idempotencyKey: 'k' }));
          await succeeds(domain.cancelOrder(owner, before.order.id));
          return end();
        });
        await working.then(
          (result) => assert.deepEqual(result.isErr() && result.error, { type: 'no_shelf' }),
          (cause: unknown) => assert.equal(String(cause), 'Error: of the host'),
        );
        assert.deepEqual(await references(), [null]);
        assert.deepEqual(await succeeds(outside.getOrder(owner, before.order.id)), before.order);
        const placed = await succeeds(outside.placeOrder(owner, { items: [ITEM] }, { idempotencyKey: 'k' }));
        assert.equal(placed.replayed, false);
      });

    it('replays a key that it has used itself, and one that was used before', async (bench) => {
      const { domain: outside, transaction, owner } = bench;
      const before = await succeeds(outside.placeOrder(owner, { items: [ITEM] }, { idempotencyKey: 'before' }));
      const working = transaction(async ({ domain }) => {
        const place = (idempotencyKey: string) =>
          succeeds(domain.placeOrder(owner, { items: [ITEM] }, { idempotencyKey }));
        return ok({ first: await place('inside'), second: await place('inside'), replayed: await place('before') });
      });
      const { first, second, replayed } = await succeeds(working);
      assert.deepEqual(second, { ...first, event: null, replayed: true });
      assert.deepEqual(replayed, { ...before, event: null, replayed: true });
    });

    it('applies each of two that run at the same time, and a write beside them', async (bench) => {
      const { domain: outside, transaction, owner } = bench;
      const { order } = await succeeds(outside.placeOrder(owner, { items: [ITEM] }));
      const note = (domain: Domain, name: string) =>
        domain.changeOrder(owner, order.id, { metadata: { [name]: 'yes' } });
      const both = ['one', 'other'].map((name) => succeeds(transaction(({ domain }) => note(domain, name))));
      await Promise.all([...both, succeeds(note(outside, 'beside'))]);
      const { metadata } = await succeeds(outside.getOrder(owner, order.id));
      assert.deepEqual(metadata, { one: 'yes', other: 'yes', beside: 'yes' });
    });

    it('rejects the use of its domain after its end', async ({ transaction, owner }) => {
      const domain = await succeeds(transaction((inside) => Promise.resolve(ok(inside.domain))));
      await throws(domain.placeOrder(owner, { items: [ITEM] }), 'has ended');
      await throws(domain.listOrders(owner), 'has ended');
    });

    for (const [text, ignore] of [
      ['not awaited', (): void => undefined],
      ['awaited', async (placing: Placing): Promise<void> => void (await placing)],
      ['of another write handled', async (placing: Placing): Promise<void> => void handled(await placing)],
    ] as const)
      it(`stores nothing when a write has failed and its result was ignored, ${text}`, async (bench) => {
        const { transaction, owner, references } = bench;
        const working = transaction(async ({ domain }) => {
          await domain.placeOrder(owner, { items: [ITEM], reference: 'R-1' });
          await ignore(placeTaken(domain, owner));
          await placeTaken(domain, owner);
          return ok('done');
        });
        await throws(working, 'placeOrder failed with reference_taken: return err() with it');
        assert.deepEqual(await references(), []);
      });

    it('counts each failed order of a batch, and none of a read', async ({ transaction, owner, references }) => {
      const place = (accept: typeof handled) =>
        transaction(async ({ domain }) => {
          await fails(domain.getOrder(owner, UNKNOWN_ID));
          for (const outcome of await succeeds(domain.placeOrders(owner, [BATCHED, BATCHED])))
            if (outcome.isErr()) accept(outcome);
          return ok('done');
        });
      await throws(
        place((result) => result),
        'placeOrders failed with reference_taken',
      );
      assert.equal(await succeeds(place(handled)), 'done');
      assert.deepEqual(await references(), ['R-1']);
    });

    for (const [text, use] of [
      ['writes', (domain: Domain, owner: Owner) => domain.placeOrder(owner, { items: [ITEM] })],
      ['changes', (domain: Domain, owner: Owner) => domain.cancelOrder(owner, UNKNOWN_ID)],
      ['reads', (domain: Domain, owner: Owner) => domain.listOrders(owner)],
      ['reads customers', (domain: Domain, owner: Owner) => domain.listCustomers(owner)],
    ] as const)
      it(`rejects a domain of the same store that ${text} inside, until it has ended`, async (bench) => {
        const { domain: outside, transaction, owner, references } = bench;
        let end = (): void => undefined;
        const ended = new Promise<void>((resolve) => (end = resolve));
        let late: Promise<unknown> | undefined;
        const working = transaction(async () => {
          late = ended.then(async () => await use(outside, owner));
          return ok((await use(outside, owner)).isOk());
        });
        await throws(working, 'use the domain that it passes');
        end();
        await late;
        assert.equal((await references()).length, text === 'writes' ? 1 : 0);
      });

    it('rejects work that returns no result, and stores nothing', async ({ transaction, owner, references }) => {
      const working = transaction(async ({ domain }) => {
        const placed = await domain.placeOrder(owner, { items: [ITEM] });
        // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- as a program in JavaScript may
        return placed.isOk() as unknown as typeof placed;
      });
      await throws(working, 'must return ok()');
      assert.deepEqual(await references(), []);
    });
  });
}

async function throws(result: ResultAsync<unknown, unknown>, message: string): Promise<void> {
  const cause = await result.then(
    (settled) => assert.fail(`it did not throw: ${JSON.stringify(settled)}`),
    (thrown: unknown) => String(thrown),
  );
  assert.ok(cause.includes(message), `expected an error with "${message}", got ${cause}`);
}
