import { err, ok, type Result, ResultAsync } from 'neverthrow';
import { changeAggregate, except } from '../aggregates/write-aggregate.ts';
import type { PersonErased } from '../customers/customer-repository.ts';
import { applyErasure } from '../orders/erase-order.ts';
import type { OrderOfPersons, OrderPorts, VersionPosition } from '../orders/order-repository.ts';
import { VERSION_MAX } from '../orders/order-version.ts';
import type { AnyOrder } from '../orders/order.ts';
import { UNKNOWN_AUTHOR } from '../shared/author.ts';
import { currentTimestamp, laterTimestamp, type Timestamp } from '../shared/clock.ts';
import { createEvent } from '../shared/domain-event.ts';
import type { Owner } from '../shared/ids.ts';
import type { Unavailable } from '../shared/unavailable.ts';
import { eraseCustomersOf } from './record-erasure.ts';
import type { PendingErasure } from '../customers/erasure-repository.ts';

/** Maximum number of orders that a batch erases, so that it takes less than a second. */
const ORDERS_PER_BATCH = 50;

/** A walk over the versions of an owner, which erases the orders of several persons. */
export interface ErasureWalk {
  /** The customers whose erasures were pending when the walk began. Later ones are for the next walk. */
  readonly customers: readonly PersonErased[];
  /** The erasures by email that were pending. */
  readonly emails: readonly PendingErasure[];
  /** Where the next batch begins. `null` for the first. */
  readonly after: VersionPosition | null;
  /** What could not be erased. */
  readonly passedOver: PassedOver;
}

/** The orders that a walk has passed over, usually because another transaction locks them. */
interface PassedOver {
  /** The persons of these orders. Their erasures stay pending. */
  readonly persons: ReadonlySet<string>;
  /** Why the last of them was passed over. */
  readonly cause: unknown;
}

/** What a batch of erasures has done and left to do. */
export interface ErasureProgress {
  /** The number of erasures that are done since. */
  readonly finished: number;
  /** What the next batch goes on with. `null` when no erasure of the owner is pending. */
  readonly next: ErasureWalk | null;
  /** Why a walk that has ended passed orders over, to which the next walk returns. `null` if it did not, or goes on. */
  readonly passedOver: { readonly cause: unknown } | null;
}

/** Returns the walk that begins with some persons. */
export function walkFor(
  customers: readonly PersonErased[],
  emails: readonly PendingErasure[] = [],
  passedOver: PassedOver = NONE,
): ErasureWalk {
  return { customers, emails, after: null, passedOver };
}

const NONE: PassedOver = { persons: new Set(), cause: null };

/** Returns what was passed over with some persons added. */
function passOver({ persons }: PassedOver, added: readonly string[], { cause }: Unavailable): PassedOver {
  return { persons: new Set([...persons, ...added]), cause };
}

/**
 * Erases a batch of the orders of all persons of an owner whose erasure is pending, as the batch before returned it, by
 * default from the beginning. After the last batch of a walk these erasures are done. A batch may be repeated, also by
 * several processes at a time: an order that was erased last is left as it is. An order that is locked delays the erasure of
 * its persons alone: the walk passes over it, and the next walk returns to it.
 */
export function continueErasures(
  ports: OrderPorts,
  owner: Owner,
  walk: ErasureWalk | null = null,
): ResultAsync<ErasureProgress, Unavailable> {
  if (walk === null)
    return begin(ports, owner).andThen((begun) => (begun ? continueErasures(ports, owner, begun) : ok(NOTHING)));
  return eraseBatch(ports, owner, walk).andThen((left) => {
    if (left.after !== null) return ok({ finished: 0, next: left, passedOver: null });
    const { persons, cause } = left.passedOver;
    const { customers, emails } = finishedBy(left);
    const finished = customers.length + emails.length;
    return begin(ports, owner).map((next) => ({ finished, next, passedOver: persons.size > 0 ? { cause } : null }));
  });
}

const NOTHING: ErasureProgress = { finished: 0, next: null, passedOver: null };

/** Begins a walk for all whose erasure is pending; `null` without any. */
function begin(ports: OrderPorts, owner: Owner): ResultAsync<ErasureWalk | null, Unavailable> {
  const { customers } = ports;
  const start = async (): Promise<Result<ErasureWalk | null, Unavailable>> => {
    const pending = await customers.erasures.findPending(owner);
    if (pending.isErr()) return err(pending.error);
    const emails: PendingErasure[] = [];
    let passedOver = NONE;
    for (const { isCustomerLeft, ...erasure } of pending.value) {
      // Usually the customer is erased already: this is for a crash in between.
      const erased = isCustomerLeft ? await eraseCustomersOf(ports, owner, erasure, UNKNOWN_AUTHOR) : ok(null);
      if (erased.isErr()) passedOver = passOver(passedOver, [erasure.email_key], erased.error);
      emails.push({ ...erasure, customer_id: erased.unwrapOr(null) ?? erasure.customer_id });
    }
    const erasing = await customers.findErasing(owner);
    return erasing.map((found) => (found.length + emails.length === 0 ? null : walkFor(found, emails, passedOver)));
  };
  return new ResultAsync(start());
}

/** Returns the erasures that a walk ends, at its end: those of which it has passed over no order. */
function finishedBy({ customers, emails, passedOver: { persons } }: ErasureWalk) {
  return {
    customers: customers.filter(({ customer_id }) => !persons.has(customer_id)),
    emails: emails.filter((erasure) => !personsOfErasure(erasure).some((person) => persons.has(person))),
  };
}

/** Returns whom an erasure by email is about. Orders of its customer may lack the email. */
function personsOfErasure({ email_key, customer_id }: PendingErasure): readonly string[] {
  return customer_id === null ? [email_key] : [email_key, customer_id];
}

/** Whose orders are erased: a customer by its id, and the person with an email by its {@link emailKey}. */
interface Sought extends Pick<PersonErased, 'erased_at' | 'isRepeated'> {
  readonly person: string;
}

function soughtBy({ customers, emails }: ErasureWalk): readonly Sought[] {
  return [
    ...customers.map(({ customer_id: person, erased_at, isRepeated }) => ({ person, erased_at, isRepeated })),
    ...emails.flatMap((erasure) =>
      personsOfErasure(erasure).map((person) => ({ person, erased_at: erasure.created_at, isRepeated: false })),
    ),
  ];
}

/**
 * Checks whether an order is to be erased. After the erasure of a person, it is not if its newest version is an erasure that
 * is not earlier. For a repeated erasure it is if it is still assigned to the person, and any version has personal data.
 */
function isUnerased(order: OrderOfPersons, sought: readonly Sought[]): boolean {
  return sought.some(({ person, erased_at, isRepeated }) =>
    isRepeated
      ? order.newest.includes(person) && order.isPersonal
      : order.persons.includes(person) && erased_at > (order.erased_at ?? ''),
  );
}

/**
 * Erases a batch of a walk, and returns what is left of it: `after` is `null` behind the last batch, when the erasures are
 * done but for those of orders that were passed over.
 */
export function eraseBatch(ports: OrderPorts, owner: Owner, walk: ErasureWalk): ResultAsync<ErasureWalk, Unavailable> {
  const { erasures } = ports.customers;
  const sought = soughtBy(walk);
  // Never earlier than the erasure of its person, whatever the clocks: an import relies on it.
  const last = sought.map(({ erased_at }) => erased_at).reduce(laterTimestamp);
  const erase = async (): Promise<Result<ErasureWalk, Unavailable>> => {
    const persons = sought.map(({ person }) => person);
    const found = await ports.orders.findOrdersOf(owner, persons, walk.after);
    if (found.isErr()) return err(found.error);
    const unerased = found.value.orders.filter((order) => isUnerased(order, sought));
    for (const [index, order] of unerased.entries()) {
      const again = { ...walk, after: { id: order.id, version: 0 } };
      if (index === ORDERS_PER_BATCH) return ok(again);
      // Before it is erased: afterwards, nothing has the email.
      const isByEmail = walk.emails.some(({ email_key }) => order.persons.includes(email_key));
      const kept = isByEmail ? await erasures.keepOrder(owner, order.id, last) : ok(null);
      const at = laterTimestamp(currentTimestamp(ports.clock), last);
      const erased = kept.isErr() ? err(kept.error) : await eraseOrder(ports, owner, order, at);
      if (erased.isErr()) {
        // One wait for a lock is enough for a batch.
        const passedOver = passOver(walk.passedOver, order.persons, erased.error);
        return ok({ ...walk, after: { id: order.id, version: VERSION_MAX }, passedOver });
      }
      // The order has changed since it was found, and may have been erased: the next batch finds it again.
      if (!erased.value) return ok(again);
    }
    const left = { ...walk, after: found.value.next };
    if (left.after !== null) return ok(left);
    const { customers, emails } = finishedBy(walk);
    const ids = emails.map(({ id }) => id);
    return await ports.customers
      .finishErasures(owner, customers)
      .andThen(() => (ids.length > 0 ? erasures.finish(owner, ids) : ok(null)))
      .map(() => left);
  };
  return new ResultAsync(erase());
}

/** Erases one order unless it has another version than the one that was found; returns whether it did. */
function eraseOrder(
  ports: OrderPorts,
  owner: Owner,
  { id, version }: Pick<OrderOfPersons, 'id' | 'version'>,
  at: Timestamp,
): ResultAsync<boolean, Unavailable> {
  const destination = { store: ports.orders, owner, key: undefined, missing: 'order_not_found' } as const;
  return changeAggregate(destination, id, (before: AnyOrder) => {
    if (before.version !== version) return err({ type: 'precondition_failed' } as const);
    const { order, event } = applyErasure(before, at);
    return ok({
      after: order,
      event: event && createEvent(ports.ids, owner, UNKNOWN_AUTHOR, event, order),
      erases: true,
    });
  })
    .map(() => true)
    .mapErr(except('idempotency_key_reused', 'reference_taken', 'unknown_customer', 'customer_erased'))
    .orElse((error) => {
      if (error.type === 'precondition_failed') return ok(false);
      // A deleted order has no next version: the deletion is the last one.
      if (error.type === 'order_not_found') return ports.orders.eraseDeleted(owner, id).map(() => true);
      return err(error);
    });
}

/**
 * Erases an order again that {@link ErasureRepository.keepOrder} has kept, in a database that is restored from an earlier
 * backup. Returns whether it did: not if the order has been erased at that time or later.
 */
export function replayErasure(
  ports: OrderPorts,
  owner: Owner,
  id: string,
  erased_at: Timestamp,
): ResultAsync<boolean, Unavailable> {
  const again = async (): Promise<Result<boolean, Unavailable>> => {
    const kept = await ports.customers.erasures.keepOrder(owner, id, erased_at);
    if (kept.isErr()) return err(kept.error);
    for (;;) {
      const found = await ports.orders.load(owner, id);
      if (found.isErr()) return err(found.error);
      const order = found.value?.aggregate;
      if (order?.erased_at && order.erased_at >= erased_at) return ok(false);
      const at = laterTimestamp(currentTimestamp(ports.clock), erased_at);
      const erased = await eraseOrder(ports, owner, { id, version: order?.version ?? 0 }, at);
      // Otherwise it has changed since.
      if (erased.isErr() || erased.value) return erased;
    }
  };
  return new ResultAsync(again());
}
