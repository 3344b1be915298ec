import type { Clock, OrderDefinition, UntypedDomain } from '@orders/domain';
import type { FeedPage, FeedPosition } from '@orders/domain/events';
import { SimulatedFault } from '@orders/domain/testing';
import type { ResultAsync } from 'neverthrow';
import type { Command, Fields } from './orders-model.ts';

/** An id that nothing has. */
export const UNKNOWN_ID = '019b0000-dddd-7000-8000-000000000000';

/** When something began and ended, in steps of the history. `end` is infinite for what never returned. */
export interface Span {
  readonly begin: number;
  end: number;
}

/** What a client learned of a command that it sent; `unknown` if it may or may not have been done. */
export type Outcome =
  | { readonly type: 'unknown' }
  | { readonly type: 'rejected'; readonly error: Fields }
  | {
      readonly type: 'done';
      readonly aggregate: Fields | null;
      readonly event: Fields | null;
      readonly replayed: boolean;
    };

/** One sending of a command. */
export interface Attempt extends Span {
  readonly command: Command;
  /** The time of the clock of its process, in milliseconds. */
  readonly now: number;
  outcome: Outcome;
}

/** An aggregate that was read. */
export interface Sighting extends Span {
  readonly owner: string;
  readonly kind: 'order' | 'customer';
  readonly id: string;
  /** 0 if it was not found. */
  readonly version: number;
  readonly aggregate: Fields | null;
  /** Whether it was read as the current version. */
  readonly isCurrent: boolean;
}

/** A list that was read page by page, up to its end. */
export interface Walk extends Span {
  readonly owner: string;
  readonly kind: 'order' | 'customer';
  readonly filter: Fields;
  readonly elements: readonly Fields[];
}

/** The versions of an order that were read page by page. */
export interface VersionWalk extends Span {
  readonly owner: string;
  readonly id: string;
  readonly versions: readonly Fields[];
}

/** A page of a feed. */
export interface FeedRead extends Span {
  readonly owner: string;
  /** The position of its reader before it; `null` for a reader without one. */
  readonly after: number | null;
  readonly types: readonly string[] | null;
  readonly page: FeedPage;
}

/** What a reader of a feed lost by a purge. */
export interface Loss extends Span {
  readonly owner: string;
  readonly after: number;
  readonly oldest: FeedPosition;
}

/** A purge of the events that occurred before a time. */
export interface Purge extends Span {
  readonly cutoff: string;
}

/** What clients of a store did, and what they saw. */
export interface Records {
  readonly definition: OrderDefinition;
  /** Time until a key expires, in milliseconds. */
  readonly ttlMs: number;
  readonly attempts: Attempt[];
  readonly sightings: Sighting[];
  readonly walks: Walk[];
  readonly versionWalks: VersionWalk[];
  readonly feedReads: FeedRead[];
  readonly losses: Loss[];
  readonly purges: Purge[];
}

type AnyDomain = UntypedDomain;

/** Records a history while it happens. */
export class History implements Records {
  readonly definition: OrderDefinition;
  readonly ttlMs: number;
  readonly attempts: Attempt[] = [];
  readonly sightings: Sighting[] = [];
  readonly walks: Walk[] = [];
  readonly versionWalks: VersionWalk[] = [];
  readonly feedReads: FeedRead[] = [];
  readonly losses: Loss[] = [];
  readonly purges: Purge[] = [];
  #step = 0;
  readonly #isFault: (cause: unknown) => boolean;

  /** @param isFault whether a failure is one that the test makes; any other is a violation, as contention is no reason */
  constructor(
    definition: OrderDefinition,
    ttlMs: number,
    isFault = (cause: unknown): boolean => cause instanceof SimulatedFault,
  ) {
    this.definition = definition;
    this.ttlMs = ttlMs;
    this.#isFault = isFault;
  }

  /** Starts something. */
  start(): Span {
    this.#step += 1;
    return { begin: this.#step, end: Infinity };
  }

  /** Returns what was started, at its end. */
  end<S extends Span>(span: S): S {
    this.#step += 1;
    span.end = this.#step;
    return span;
  }

  /** Sends a command. */
  async send(domain: AnyDomain, clock: Clock, command: Command): Promise<Outcome> {
    const attempt: Attempt = {
      ...this.start(),
      command,
      now: clock.now().getTime(),
      outcome: { type: 'unknown' },
    };
    this.attempts.push(attempt);
    const isOdd = this.attempts.length % 2 === 1;
    const outcome = await perform(domain, command, isOdd).match<Outcome>(
      (done) => ({ type: 'done', ...done }),
      (error) => {
        if (!('cause' in error)) return { type: 'rejected', error: { ...error } };
        if (!this.#isFault(error.cause)) throw error.cause;
        return { type: 'unknown' };
      },
    );
    this.end(attempt).outcome = outcome;
    return outcome;
  }

  /** Reads one order or customer. */
  async get(domain: AnyDomain, owner: string, kind: 'order' | 'customer', id: string): Promise<void> {
    const span = this.start();
    const read = await (kind === 'order' ? domain.getOrder(owner, id) : domain.getCustomer(owner, id));
    this.end(span);
    const found = read.isOk() ? read.value : null;
    if (read.isErr() && read.error.type === 'unavailable') return;
    this.#see(span, {
      owner,
      kind,
      id,
      version: found?.version ?? 0,
      aggregate: found && asStored(found),
      isCurrent: true,
    });
  }

  /** Walks a list. `filter` may have `status`, `customer_id` and `reference`. */
  async walk(
    domain: AnyDomain,
    owner: string,
    kind: 'order' | 'customer',
    limit: number,
    filter: Fields,
  ): Promise<void> {
    const elements: Fields[] = [];
    const whole = this.start();
    let after: { readonly value: string; readonly id: string } | null = null;
    do {
      const span = this.start();
      const query: Fields = { limit, ...filter, ...(after && { after }) };
      const page = await (kind === 'order' ? domain.listOrders(owner, query) : domain.listCustomers(owner, query));
      this.end(span);
      if (page.isErr()) return;
      for (const found of page.value.data) {
        const aggregate = asStored(found);
        elements.push(aggregate);
        this.#see(span, { owner, kind, id: found.id, version: found.version, aggregate, isCurrent: true });
      }
      after = page.value.next;
    } while (after);
    this.walks.push(this.end({ ...whole, owner, kind, filter, elements }));
  }

  /** Walks the versions of an order. */
  async walkVersions(domain: AnyDomain, owner: string, id: string, limit: number): Promise<void> {
    const versions: Fields[] = [];
    const whole = this.start();
    let after: { readonly value: number; readonly id: string } | null = null;
    do {
      const span = this.start();
      const page = await domain.listOrderVersions(owner, id, { limit, ...(after && { after }) });
      this.end(span);
      if (page.isErr()) {
        if (page.error.type === 'order_not_found' && after === null)
          this.#see(span, { owner, kind: 'order', id, version: 0, aggregate: null, isCurrent: false });
        return;
      }
      for (const { version, order } of page.value.data)
        this.#see(span, { owner, kind: 'order', id, version, aggregate: order && asStored(order), isCurrent: false });
      versions.push(
        ...page.value.data.map(({ order, ...version }) => ({ ...version, order: order && asStored(order) })),
      );
      after = page.value.next;
    } while (after);
    this.versionWalks.push(this.end({ ...whole, owner, id, versions }));
  }

  /** Records a page of a feed that was read in a span. */
  addPage(span: Span, read: Omit<FeedRead, keyof Span>): void {
    this.feedReads.push(this.end({ ...span, ...read }));
    for (const { resource } of read.page.data) {
      if (resource.type === 'webhook_endpoint' || !('data' in resource)) continue;
      const { type: kind, id, version, data = null } = resource;
      this.#see(span, { owner: read.owner, kind, id, version, aggregate: data && { ...data }, isCurrent: false });
    }
  }

  #see({ begin, end }: Span, sighting: Omit<Sighting, keyof Span>): void {
    this.sightings.push({ begin, end: Math.min(end, this.#step), ...sighting });
  }
}

/** Returns an aggregate as the feed has it. */
function asStored(read: object): Fields {
  const { available_transitions: _, ...stored }: Fields = { ...read };
  return stored;
}

interface Done {
  readonly aggregate: Fields | null;
  readonly event: Fields | null;
  readonly replayed: boolean;
}

/** Sends a command to the domain. Cancellations go either way. */
function perform(
  domain: AnyDomain,
  command: Command,
  cancels: boolean,
): ResultAsync<Done, { readonly type: string; readonly cause?: unknown }> {
  const { owner, kind, action, id, input, key, ifVersion, actor } = command;
  const options = { actor, externalUserId: actor, ...(key !== null && { idempotencyKey: key }) };
  const changing = { ...options, ...(ifVersion !== null && { ifVersion: [ifVersion] }) };
  const ofOrder = ({ order, ...done }: { readonly order: object } & Written) => doneOf(asStored(order), done);
  const ofCustomer = ({ customer, ...done }: { readonly customer: object } & Written) => doneOf(customer, done);
  if (kind === 'customer') {
    if (action === 'create') return domain.createCustomer(owner, input, options).map(ofCustomer);
    if (action === 'change') return domain.changeCustomer(owner, id ?? '', input, changing).map(ofCustomer);
    return domain.deleteCustomer(owner, id ?? '', changing).map((done) => doneOf(null, done));
  }
  if (action === 'create') return domain.placeOrder(owner, input, options).map(ofOrder);
  if (action === 'delete') return domain.deleteOrder(owner, id ?? '', changing).map((done) => doneOf(null, done));
  if (action === 'add') return domain.addItems(owner, id ?? '', input, changing).map(ofOrder);
  if (action === 'correct') return domain.correctOrder(owner, id ?? '', input, changing).map(ofOrder);
  const { status, cancel_reason: reason, ...others } = input;
  if (cancels && status === domain.definition.cancel && Object.keys(others).length === 0)
    return domain.cancelOrder(owner, id ?? '', { reason }, changing).map(ofOrder);
  return domain.changeOrder(owner, id ?? '', input, changing).map(ofOrder);
}

interface Written {
  readonly event: object | null;
  readonly replayed: boolean;
}

function doneOf(aggregate: object | null, { event, replayed }: Written): Done {
  return { aggregate: aggregate && { ...aggregate }, event: event && { ...event }, replayed };
}
