import type { Owner } from '@orders/domain';
import { FEED_START, type FeedEvent, positionOf } from '@orders/domain/events';
import type { InMemoryStore, SimulatedProcess } from '@orders/domain/testing';
import {
  type Attempt,
  ATTEMPT_GAPS_MS,
  ATTEMPT_TIMEOUT_MS,
  ATTEMPTS_MAX,
  ENDPOINT_IN_FLIGHT_MAX,
  GAP_JITTER,
  LEASE_MS,
  RETRY_AFTER_MAX_MS,
  type WebhookDelivery,
  type WebhookEndpoint,
  type WebhookMessage,
  type WebhookSender,
} from '@orders/domain/webhooks';

/** What holds when a message arrives, and when a worker has stopped. */
export const RULES = [
  'a message is an event of its owner, with the resource at its version',
  'an endpoint gets only events that it wants and that come after its start',
  'an event comes after all earlier ones of its resource were accepted or have failed finally',
  'a disabled or deleted endpoint gets only what was claimed before',
  'an endpoint has at most its maximum of attempts at a time, and one of each delivery',
  'a delivery has at most its maximum of attempts, and the gaps of the policy between them',
  'a worker stops within its grace',
  'an endpoint is gone when its own URL says so',
] as const;

/** Requests and responses take up to 21 ms each, and stores have whole milliseconds. */
const TOLERANCE_MS = 50;
const INTERRUPTED: Attempt = { status: null, error: 'interrupted', duration_ms: 1, retryAfterMs: null };

interface Arrival {
  readonly at: number;
  /** Number of attempts that were recorded before; `null` once the endpoint is deleted. */
  readonly recorded: number | null;
  readonly attempt: Attempt;
  /** Whether the receiver accepts it, even if its response is lost. */
  isAccepted: boolean;
  /** When the request ends. */
  until: number;
}

/** What an endpoint has received, and what it may receive. */
class Receiver {
  /** Every filter that it may have had. Only what all of them want, or none, is certain. */
  readonly filters: WebhookEndpoint['types'][];
  readonly start: number;
  /** The arrivals of each event, without those that a network repeats. */
  readonly arrivals = new Map<string, Arrival[]>();
  /** The ids of events that may have been requested again. */
  readonly redelivered = new Set<string>();
  /** The last position of each resource. */
  readonly newest = new Map<string, number>();
  /** When it was disabled or deleted already; `null` while it may be enabled. */
  closedAt: number | null = null;
  /** When it was disabled the last time. */
  lastClosedAt = -Infinity;

  constructor({ types, start }: Pick<WebhookEndpoint, 'types' | 'start'>) {
    this.filters = [types];
    this.start = start;
  }

  close(at: number): void {
    this.closedAt ??= at;
    this.lastClosedAt = at;
  }

  /** Checks whether it wants an event, whichever filter it has. */
  surelyWants({ position, type }: FeedEvent): boolean {
    return position > this.start && this.filters.every((types) => types?.includes(type) ?? true);
  }

  of(id: string): readonly Arrival[] {
    return this.arrivals.get(id) ?? [];
  }

  hasAccepted(id: string): boolean {
    return this.of(id).some(({ isAccepted }) => isAccepted);
  }

  /** Checks whether it has accepted an event, or may have failed to for the last time. */
  isDoneWith(id: string): boolean {
    return this.hasAccepted(id) || this.of(id).length >= ATTEMPTS_MAX;
  }

  /** Returns the ids of events whose requests have not ended. */
  underWay(now: number): readonly string[] {
    return [...this.arrivals].filter(([, all]) => all.some(({ until }) => until > now)).map(([id]) => id);
  }

  /** Returns what is wrong with an event in the log of the endpoint. */
  problemOf(event: FeedEvent, delivery: WebhookDelivery | null, endpoint: WebhookEndpoint): string | null {
    const arrivals = this.of(event.id);
    if (!delivery) {
      if (arrivals.length > 0) return 'came, and has no delivery';
      return isToEnd(endpoint) && this.surelyWants(event) ? 'has no delivery' : null;
    }
    if (delivery.event_id !== event.id) return 'is another event in the log';
    if (delivery.attempts > arrivals.length)
      return `came ${arrivals.length} times, after ${delivery.attempts} attempts`;
    if (delivery.status === 'delivered' && !(this.hasAccepted(event.id) && delivery.last_status === 204))
      return 'was not accepted';
    if (delivery.status !== 'failed') return null;
    if (delivery.attempts !== ATTEMPTS_MAX) return 'failed too soon';
    const isLost = endpoint.status === 'enabled' && (arrivals.at(-1)?.at ?? 0) < this.lastClosedAt - 2 * LEASE_MS;
    return isLost ? 'did not come again when the endpoint was enabled again' : null;
  }
}

/** The receivers of all endpoints, and what they make of what arrives. */
export class Receivers {
  /** The rules that were broken, and how. */
  readonly broken = new Map<string, string>();
  /** Whether receivers that are flaky accept everything. */
  areHealed = false;
  readonly #store: InMemoryStore;
  readonly #receivers = new Map<string, Receiver>();
  readonly #events = new Map<Owner, FeedEvent[]>();

  constructor(store: InMemoryStore) {
    this.#store = store;
  }

  expect(rule: (typeof RULES)[number], holds: boolean, details: () => string): void {
    if (!holds && !this.broken.has(rule)) this.broken.set(rule, details());
  }

  /** Returns the receiver of an endpoint, whose filters are known from the beginning. */
  of(endpoint: WebhookEndpoint): Receiver {
    const receiver = this.#receivers.get(endpoint.id) ?? new Receiver(endpoint);
    this.#receivers.set(endpoint.id, receiver);
    return receiver;
  }

  /** Returns a sender to these receivers, which spends the time of a process. */
  sender({ timer, random }: SimulatedProcess): WebhookSender {
    return {
      send: async (owner, { id, url }, message, signal) => {
        const response = respond(url, random, this.areHealed);
        const arrival = await this.#receive(owner, id, message, { ...response, at: timer.now() });
        await timer.pause(response.attempt.duration_ms, signal);
        arrival.until = Math.min(arrival.until, timer.now());
        if (signal?.aborted) return INTERRUPTED;
        // The process stands still, and loses its lease.
        if (random() < 0.05) await timer.pause(LEASE_MS * (0.8 + random() / 2));
        return response.attempt;
      },
    };
  }

  async #receive(
    owner: Owner,
    endpointId: string,
    { id, body }: WebhookMessage,
    { at, attempt, isAccepted }: Pick<Arrival, 'at' | 'attempt' | 'isAccepted'>,
  ): Promise<Arrival> {
    const { type, data } = parsed(body);
    const { position, resource } = data;
    const events = await this.#eventsOf(owner);
    const recorded = (await this.#delivery(owner, endpointId, position))?.attempts ?? null;
    const receiver = this.#receivers.get(endpointId) ?? (await this.#stored(owner, endpointId));
    const what = (): string => `${endpointId} gets ${position}: ${type} of ${resource.id} at ${at}`;

    const event = events[position - 1];
    const { data: value, ...rest } = resource;
    const isVersion = !value || (value.id === resource.id && value.version === resource.version);
    const isEvent = event?.id === id && event.type === type && isSame({ ...data, resource: rest }, event);
    this.expect(RULES[0], isEvent && isVersion, what);
    const isWanted = receiver.filters.some((types) => types?.includes(data.type) ?? true);
    this.expect(RULES[1], position > receiver.start && isWanted, what);
    const claimedMs = LEASE_MS - ATTEMPT_TIMEOUT_MS + TOLERANCE_MS;
    this.expect(RULES[3], receiver.closedAt === null || at <= receiver.closedAt + claimedMs, what);

    const all = receiver.of(id);
    const before = all.at(-1);
    // A network that repeats a message does so at once.
    if (before?.at === at) {
      before.isAccepted ||= isAccepted;
      return before;
    }
    const underWay = receiver.underWay(at);
    this.expect(RULES[4], underWay.length < ENDPOINT_IN_FLIGHT_MAX && !underWay.includes(id), what);
    const arrival = { at, recorded, attempt, isAccepted, until: at + attempt.duration_ms };
    const isRequested = receiver.redelivered.has(id);
    // What had not ended when it was requested again keeps its place behind others of its resource.
    if (!isRequested || !receiver.isDoneWith(id)) this.#expectOrder(receiver, data, events, what);
    if (!isRequested) this.#expectGap(before, arrival, what);
    receiver.arrivals.set(id, [...all, arrival]);
    return arrival;
  }

  /**
   * A claim that is not attempted within 45 s is given up, and no attempt takes longer than the 15 s that are left of its
   * lease. So a worker that loses a lease has sent its request before the next worker claims the delivery. A request that
   * arrives after its worker has given it up, as none does here, may come after newer ones: it is a repetition.
   */
  #expectOrder(receiver: Receiver, event: FeedEvent, events: readonly FeedEvent[], what: () => string): void {
    const { position, resource, id } = event;
    const earlier = events.slice(0, position - 1).filter((one) => one.resource.id === resource.id);
    const open = earlier.find((one) => receiver.surelyWants(one) && !receiver.isDoneWith(one.id));
    this.expect(RULES[2], !open, () => `${what()}, and not yet ${open?.position}`);
    const newest = receiver.newest.get(resource.id) ?? 0;
    // When an endpoint is enabled again, it gets again what had failed finally.
    const isOrdered = position >= newest || receiver.of(id).length >= ATTEMPTS_MAX;
    this.expect(RULES[2], isOrdered, () => `${what()}, after ${newest}`);
    receiver.newest.set(resource.id, Math.max(position, newest));
  }

  /** If the attempt before was not recorded, its lease has expired, or a stop has interrupted it. */
  #expectGap(before: Arrival | undefined, { at, recorded }: Arrival, what: () => string): void {
    this.expect(RULES[5], recorded === null || recorded < ATTEMPTS_MAX, what);
    if (!before || before.recorded === null || recorded === null || recorded <= before.recorded) return;
    const gap = (ATTEMPT_GAPS_MS[recorded - 1] ?? Infinity) * (1 - GAP_JITTER);
    const least = Math.max(gap, Math.min(before.attempt.retryAfterMs ?? 0, RETRY_AFTER_MAX_MS));
    this.expect(RULES[5], at - before.at >= least - TOLERANCE_MS, () => `${what()}, ${at - before.at} ms later`);
  }

  /** Throws unless endpoints have got all that they want, and their logs say the same. */
  async expectComplete(owners: readonly Owner[]): Promise<void> {
    const query = { sort: 'created_at', limit: 100, offset: 0, after: null } as const;
    const listed = owners.map(async (owner) => {
      const { data } = (await this.#store.webhookEndpoints.list(owner, query))._unsafeUnwrap();
      return data.map((endpoint) => [owner, endpoint] as const);
    });
    const all = (await Promise.all(listed)).flat();
    for (const [owner, endpoint] of all) if (isToEnd(endpoint)) await this.#expectNothingPending(owner, endpoint);
    for (const [owner, endpoint] of all) await this.#expectInLog(owner, endpoint);
  }

  async #expectNothingPending(owner: Owner, { id }: WebhookEndpoint): Promise<void> {
    const query = { limit: 1, before: null, status: 'pending' } as const;
    const [pending] = (await this.#store.webhookDeliveries.list(owner, id, query))._unsafeUnwrap().data;
    if (pending) throw new Error(`${pending.position} is pending for ${id}`);
  }

  async #expectInLog(owner: Owner, endpoint: WebhookEndpoint): Promise<void> {
    const { id, url, disabled_reason: reason } = endpoint;
    const receiver = this.of(endpoint);
    if (reason === 'gone' && mannerOf(url) !== 'gone') throw new Error(`${id} is not gone`);
    const hasFailed = [...receiver.arrivals.values()].some(({ length }) => length >= ATTEMPTS_MAX);
    if (reason === 'deliveries_failed' && !hasFailed) throw new Error(`no delivery to ${id} has failed`);
    for (const event of await this.#eventsOf(owner)) {
      const problem = receiver.problemOf(event, await this.#delivery(owner, id, event.position), endpoint);
      if (problem !== null) throw new Error(`${event.position} ${problem}: ${id}`);
    }
  }

  async #stored(owner: Owner, id: string): Promise<Receiver> {
    const loaded = (await this.#store.webhookEndpoints.load(owner, id))._unsafeUnwrap();
    if (!loaded) throw new Error(`${id} was deleted by no client`);
    return this.of(loaded.aggregate);
  }

  async #delivery(owner: Owner, id: string, position: number): Promise<WebhookDelivery | null> {
    const query = { limit: 1, before: position + 1, status: null };
    const [newest] = (await this.#store.webhookDeliveries.list(owner, id, query))._unsafeUnwrap().data;
    return newest?.position === position ? newest : null;
  }

  async #eventsOf(owner: Owner): Promise<readonly FeedEvent[]> {
    const known = this.#events.get(owner) ?? [];
    this.#events.set(owner, known);
    for (;;) {
      const last = known.at(-1);
      const query = { after: last ? positionOf(last) : FEED_START, limit: 100, types: null, include: [] } as const;
      const { data, caught_up } = (await this.#store.feed.read(owner, { ...query, start: 'oldest' }))._unsafeUnwrap();
      for (const event of data) known[event.position - 1] = event;
      if (caught_up) return known;
    }
  }
}

/** Checks whether an endpoint gets all that it wants, or is disabled in the end. */
function isToEnd({ status, url }: WebhookEndpoint): boolean {
  return status === 'enabled' && mannerOf(url) !== 'down';
}

/** Returns how a receiver responds: `steady`, `flaky`, `down` or `gone`. */
export function mannerOf(url: string): string {
  return new URL(url).hostname;
}

function respond(url: string, random: () => number, areHealed: boolean): Pick<Arrival, 'attempt' | 'isAccepted'> {
  const manner = mannerOf(url);
  const draw = random();
  const duration_ms = random() < 0.5 ? 5 : Math.floor(random() * (ATTEMPT_TIMEOUT_MS - 100));
  const isAccepted = manner === 'steady' || (manner === 'flaky' && (areHealed || draw < 0.5));
  const attempt: Attempt = { status: 204, error: null, duration_ms, retryAfterMs: null };
  if (manner !== 'gone' && draw < 0.2 && !areHealed)
    return { isAccepted, attempt: { ...attempt, status: null, error: 'timed_out' } };
  if (isAccepted) return { isAccepted, attempt };
  const status = manner === 'gone' ? 410 : 500;
  const retryAfterMs = random() < 0.8 ? null : Math.floor(random() * 5 * RETRY_AFTER_MAX_MS);
  return { isAccepted, attempt: { ...attempt, status, error: 'status_not_accepted', retryAfterMs } };
}

function isSame(left: object, right: object): boolean {
  return JSON.stringify(left) === JSON.stringify(right);
}

function parsed(body: string): { readonly type: string; readonly data: FeedEvent };
function parsed(body: string): unknown {
  const value: unknown = JSON.parse(body);
  return value;
}
