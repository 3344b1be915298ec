import { err, ok, type Result, ResultAsync } from 'neverthrow';
import { readEmail } from '../customers/customer-details.ts';
import { emailKey } from '../customers/customer.ts';
import type { OrderPorts, VersionPosition } from '../orders/order-repository.ts';
import { VERSION_MAX } from '../orders/order-version.ts';
import { isUuid, type Owner } from '../shared/ids.ts';
import { type PageWindowInput, readPageWindow } from '../shared/page-query.ts';
import type { Page, Position } from '../shared/page.ts';
import type { Unavailable } from '../shared/unavailable.ts';
import { InvalidFields, type ValidationFailed } from '../shared/validation.ts';
import { type CustomerDataLine, FROM_THE_FIRST, readParts } from './customer-data.ts';

/** Batches of versions that a page looks at. */
const BATCHES_MAX = 50;

/** Unvalidated query for what is stored of a person. The value of a position is opaque. */
export interface PersonDataQueryInput extends Omit<PageWindowInput<string>, 'offset'> {
  /** In any case. */
  readonly email: string;
}

/** A validated query for what is stored of a person. */
export interface PersonDataQuery {
  readonly email_key: string;
  readonly limit: number;
  readonly after: Position<string> | null;
}

/** The errors of reading what is stored of a person. */
export type ReadPersonDataError = ValidationFailed | Unavailable;

/**
 * Returns one page of everything that is stored of the person with an email, also of a guest: the customer with it, then each order
 * that an erasure would find, once, by its id, followed by its versions, newest first, and its comments. A page ends with those of an
 * order, and looks at a limited number of versions of the owner, so that it may be empty though others follow. `input` is a {@link PersonDataQueryInput}.
 */
export function readPersonData(
  ports: OrderPorts,
  owner: Owner,
  input: unknown,
): ResultAsync<Page<CustomerDataLine, string>, ReadPersonDataError> {
  return parsePersonDataQuery(input).asyncAndThen((query) => new ResultAsync(readLines(ports, owner, query)));
}

async function readLines(
  { customers, orders }: OrderPorts,
  owner: Owner,
  { email_key, limit, after }: PersonDataQuery,
): Promise<Result<Page<CustomerDataLine, string>, Unavailable>> {
  const customer = await customers.findByEmail(owner, email_key);
  if (customer.isErr()) return err(customer.error);
  const persons = [email_key, ...(customer.value ? [customer.value.id] : [])];
  const lines: CustomerDataLine[] = customer.value && !after ? [{ kind: 'customer', ...customer.value }] : [];
  const begun = after && parsePosition(after);
  let position: VersionPosition | null = begun?.walk ?? null;
  for (let batch = 0; batch < BATCHES_MAX; batch += 1) {
    const found = await orders.findOrdersOf(owner, persons, position);
    if (found.isErr()) return err(found.error);
    const [order] = found.value.orders;
    if (order) {
      const { id } = order;
      const within = begun?.walk.id === id ? begun.within : null;
      const loaded = within === null ? await orders.load(owner, id) : ok(null);
      if (loaded.isErr()) return err(loaded.error);
      if (loaded.value) lines.push({ kind: 'order', ...loaded.value.aggregate });
      const part = await readParts({ orders }, owner, id, limit, within ?? FROM_THE_FIRST);
      if (part.isErr()) return err(part.error);
      const { next } = part.value;
      const value = next === null ? `at ${VERSION_MAX}` : `${typeof next === 'number' ? 'below' : 'behind'} ${next}`;
      return ok({ data: [...lines, ...part.value.lines], next: { value, id } });
    }
    position = found.value.next;
    if (position === null) return ok({ data: lines, next: null });
  }
  return ok({ data: lines, next: position && { value: `at ${position.version}`, id: position.id } });
}

/** Where a page begins: in the walk, and within the versions or comments of the order there if it has begun with these. */
interface Begun {
  readonly walk: VersionPosition;
  readonly within: { readonly version: number | null; readonly comment: string | null } | null;
}

function parsePosition({ value, id }: Position<string>): Begun | null {
  const [, comment = ''] = /^behind (.*)$/.exec(value) ?? [];
  if (isUuid(id) && isUuid(comment)) return { walk: { id, version: 0 }, within: { version: null, comment } };
  const [, kind, digits] = /^(at|below) (\d{1,10})$/.exec(value) ?? [];
  const version = Number(digits);
  if (!isUuid(id) || !(version <= VERSION_MAX)) return null;
  if (kind === 'at') return { walk: { id, version }, within: null };
  return { walk: { id, version: 0 }, within: { version, comment: null } };
}

/** Parses a query for what is stored of a person and reports every invalid member. */
export function parsePersonDataQuery(input: unknown): Result<PersonDataQuery, ValidationFailed> {
  const invalid = new InvalidFields();
  const query: Partial<PersonDataQueryInput> = invalid.readObject(input, ['email', 'limit', 'after']);
  const email = readEmail(query.email, 'email', invalid) ?? '';
  const { limit, after } = readPageWindow(query, (position) => parsePosition(position) !== null, invalid);
  return invalid.toResult({ email_key: emailKey(email), limit, after });
}
