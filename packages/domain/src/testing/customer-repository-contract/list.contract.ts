import * as assert from '../assertions.ts';
import type { Customer } from '../../customers/customer.ts';
import { type PageQueryInput, parsePageQuery, SORTS } from '../../shared/page-query.ts';
import { aCustomer } from '../builders.ts';
import { anOwner, fails, storeCustomer, succeeds, type TestRunner } from '../contract-subject.ts';
import { metadataOfBytes } from '../metadata-of-bytes.ts';
import { pageBytesContract } from '../page-bytes.contract.ts';
import type { OpenAnySubject } from '../order-fixtures.ts';

export function listContract({ describe, it }: TestRunner, open: OpenAnySubject): void {
  describe('listing customers', () => {
    const query = (input: PageQueryInput) => parsePageQuery(input)._unsafeUnwrap();

    for (const sort of SORTS) {
      it(`sorts by ${sort} and returns each customer once in pages of every size, even with equal timestamps`, async () => {
        const { customers, ...subject } = await open();
        const owner = anOwner();
        const stored: Customer[] = [];
        for (let index = 0; index < 9; index += 1) {
          const created_at = `2026-01-01T00:00:00.00${Math.floor(index / 3)}Z`;
          const updated_at = `2026-01-02T00:00:00.00${3 - Math.floor(index / 3)}Z`;
          stored.push(await storeCustomer({ customers, ...subject }, owner, aCustomer({ created_at, updated_at })));
        }
        await storeCustomer({ customers, ...subject }, anOwner());
        const sortKey = (customer: Customer) =>
          (sort.endsWith('created_at') ? customer.created_at : customer.updated_at) + customer.id;
        const ascending = stored.toSorted((left, right) => (sortKey(left) < sortKey(right) ? -1 : 1));
        const expected = sort.startsWith('-') ? ascending.toReversed() : ascending;
        for (const limit of [1, 2, 9, 100]) {
          const seen: Customer[] = [];
          let after: PageQueryInput['after'];
          do {
            const { data, next } = await succeeds(customers.list(owner, query({ sort, limit, after })));
            assert.ok(data.length > 0 && data.length <= limit, `a page of ${data.length} for limit ${limit}`);
            seen.push(...data);
            assert.equal(new Set(seen.map(({ id }) => id)).size, seen.length, 'a customer was returned twice');
            after = next ?? undefined;
          } while (after);
          assert.deepEqual(seen, expected, `limit ${limit}`);
        }
        const skipped = await succeeds(customers.list(owner, query({ sort, offset: 4, limit: 2 })));
        assert.deepEqual(skipped.data, expected.slice(4, 6));
      });
    }

    it('returns an empty last page for an owner without customers', async () => {
      const { customers } = await open();
      assert.deepEqual(await succeeds(customers.list(anOwner(), query({}))), { data: [], next: null });
    });
  });

  describe("another owner's customer", () => {
    it('cannot be found, changed or deleted by id, and does not reserve the email', async () => {
      const subject = await open();
      const otherOwner = anOwner();
      const { id, email } = await storeCustomer(subject, anOwner());
      const notFound = { type: 'customer_not_found', id };
      const failIfCalled = () => assert.fail('change ran for a customer of another owner');
      assert.deepEqual(await fails(subject.customers.find(otherOwner, id)), notFound);
      assert.deepEqual(await fails(subject.customers.update(otherOwner, id, failIfCalled)), notFound);
      assert.deepEqual(await fails(subject.customers.delete(otherOwner, id, failIfCalled)), notFound);
      await storeCustomer(subject, otherOwner, aCustomer({ email }));
    });
  });
}

export function customerPageBytesContract(runner: TestRunner, open: OpenAnySubject): void {
  pageBytesContract(runner, 'customers', async () => {
    const subject = await open();
    return {
      storeEntry: (owner, bytes) => storeCustomer(subject, owner, aCustomer({ metadata: metadataOfBytes(bytes) })),
      page: (owner, query) => succeeds(subject.customers.list(owner, parsePageQuery(query)._unsafeUnwrap())),
    };
  });
}
