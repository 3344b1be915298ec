import type { ResultAsync } from 'neverthrow';
import { uncheckedCast } from './calls/unchecked-cast.ts';
import type { ErasePersonError, GetErasureError, PersonDataError } from './errors.ts';
import type { Listing, PageQuery } from './listing.ts';
import { Operations } from './operations.ts';
import type { RequestOptions, WriteOptions, Written } from './options.ts';
import type { CustomerDataLine, CustomerSearch, EmailErasure } from './schemas.ts';
import type { Settings } from './transport/settings.ts';

/** The result of an erasure by email. */
export interface ErasureWritten extends Written {
  readonly erasure: EmailErasure;
}

/** What a person is found by, and the page. */
export interface PersonDataQuery extends CustomerSearch, Omit<PageQuery, 'offset'>, RequestOptions {}

/** The operations on persons who are found by email, also guests. */
export interface Erasures {
  /**
   * Erases the person with an email: the customer, and what is personal of every order whose buyer has or had it. While `status` is
   * `pending`, they follow.
   *
   * @example
   * const erased = await orders.erasures.create({ email: 'ada@example.com' });
   */
  readonly create: (input: CustomerSearch, options?: WriteOptions) => ResultAsync<ErasureWritten, ErasePersonError>;

  /**
   * Returns how far an erasure is.
   *
   * @example
   * const erasure = await orders.erasures.get(id);
   */
  readonly get: (id: string, options?: RequestOptions) => ResultAsync<EmailErasure, GetErasureError>;

  /**
   * Lists everything that is stored of the person with an email, as `customers.data` does.
   *
   * @example
   * for await (const line of orders.erasures.data({ email: 'ada@example.com' })) console.log(JSON.stringify(line));
   */
  readonly data: (query: PersonDataQuery) => Listing<CustomerDataLine, PersonDataError>;
}

/** Binds the operations on persons to a server. */
export function bindErasures(settings: Settings): Erasures {
  const api = new Operations(settings, '/erasures', 'erasure_not_found');
  return {
    create: (input, options = {}) =>
      api
        .write('erase_person', 'POST', '/erasures', options, input)
        .map(({ body, ...rest }) => ({ erasure: uncheckedCast<EmailErasure>(body), ...rest })),
    get: (id, options = {}) => api.read('get_erasure', api.at(id), options),
    data: (query) => api.list('list_person_data', '/person_data', query, 'POST'),
  };
}
