import { parseItemQuery, parseOrderQuery, parseOrderVersionQuery, parsePageQuery } from '@orders/domain';
import { parseFeedQuery } from '@orders/domain/events';
import { parseDeliveryQuery } from '@orders/domain/webhooks';
import type { Result } from 'neverthrow';
import { describe, expect, it } from 'vitest';
import { invalidFields } from '../fixtures/a-domain.ts';

/** The parsers of queries, and a member that only other queries have. */
const PARSERS: readonly (readonly [string, (query: object) => Result<unknown, unknown>, string])[] = [
  ['customers or endpoints', parsePageQuery, 'status'],
  ['orders', (query) => parseOrderQuery(query), 'types'],
  ['items', parseItemQuery, 'sort'],
  ['versions', parseOrderVersionQuery, 'offset'],
  ['events', (query) => parseFeedQuery(query), 'offset'],
  ['deliveries', parseDeliveryQuery, 'after'],
];

describe.each(PARSERS)('a query for %s', (_, parse, foreign) => {
  it('is rejected with every unknown member, also one without a value', () => {
    expect(parse({ Limit: 1, limit: 0, [foreign]: undefined })._unsafeUnwrapErr()).toMatchObject(
      invalidFields('Limit: unknown_field', `${foreign}: unknown_field`, 'limit: out_of_range'),
    );
  });

  it.each([null, 'paid', 7, [[]], new Map()])('is rejected unless it is an object, such as %j', (query) => {
    // @ts-expect-error -- JavaScript callers can pass any value
    expect(parse(query)._unsafeUnwrapErr()).toMatchObject(invalidFields(': wrong_type'));
  });
});
