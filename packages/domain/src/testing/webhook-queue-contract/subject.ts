import type { ResultAsync } from 'neverthrow';
import type { FeedEvent } from '../../events/feed-event.ts';
import type { AnyEndpoint } from '../../webhooks/webhook-endpoint.ts';
import type { OrderDefinition } from '../../orders/order-lifecycle.ts';
import type { Page } from '../../shared/page.ts';
import type { Unavailable } from '../../shared/unavailable.ts';
import { FRESH_GAPS_MS } from '../../webhooks/attempt-delays.ts';
import type { Settlement } from '../../webhooks/settle-attempt.ts';
import type { DeliveryQuery, WebhookDelivery } from '../../webhooks/webhook-delivery.ts';
import type { DeliveryNotFound } from '../../webhooks/webhook-errors.ts';
import type { ClaimedDelivery, Settled } from '../../webhooks/webhook-queue.ts';
import type { Attempt } from '../../webhooks/webhook-sender.ts';
import * as assert from '../assertions.ts';
import { aWebhookEndpoint } from '../builders.ts';
import { succeeds } from '../contract-subject.ts';
import { FeedBench } from '../event-feed-contract/subject.ts';
import type { OrderAndEvent } from '../store-bench.ts';

/** Time by which a store's clock may run on during a test, in milliseconds. */
export const MARGIN_MS = 4000;

/** A gap that no test reaches. */
export const LONG_MS = 1_000_000_000;

/** The gap after the first rejected delivery. */
export const FIRST_GAP_MS = FRESH_GAPS_MS[0] ?? 0;

export const ACCEPTED: Attempt = { status: 204, error: null, duration_ms: 12, retryAfterMs: null };
export const REJECTED: Attempt = { status: 500, error: 'status_not_accepted', duration_ms: 34, retryAfterMs: null };
/** An attempt that its worker ended. */
const INTERRUPTED: Attempt = { status: null, error: 'interrupted', duration_ms: 5, retryAfterMs: null };

type Claimed = ClaimedDelivery<OrderDefinition>;

/** A server under test with the endpoints of one owner, and a worker that makes their deliveries. */
export class QueueBench extends FeedBench {
  advance(ms: number): Promise<void> {
    return this.subject.advance(this.owner, ms);
  }

  /** Creates an enabled endpoint that receives every event of the feed, unless `fields` has other values. */
  subscribe(fields: Partial<AnyEndpoint> = {}): Promise<AnyEndpoint> {
    return this.endpoints.stored(aWebhookEndpoint(fields));
  }

  async reconfigure(id: string, fields: Partial<AnyEndpoint>): Promise<AnyEndpoint> {
    const type = fields.status === 'disabled' ? 'webhook_endpoint.disabled' : 'webhook_endpoint.changed';
    return (await this.endpoints.set(id, fields, { event: { type, changed: Object.keys(fields) } })).aggregate;
  }

  async disable(id: string): Promise<void> {
    await this.reconfigure(id, { status: 'disabled', disabled_reason: 'requested' });
  }

  async enable(id: string): Promise<void> {
    await this.reconfigure(id, { status: 'enabled', disabled_reason: null });
  }

  /** Disables an endpoint, enables it again, and creates the deliveries since. */
  async disableAndEnable(id: string): Promise<void> {
    await this.disable(id);
    await this.enable(id);
    await this.fanOut();
  }

  async placeMany(count: number): Promise<readonly string[]> {
    const ids: string[] = [];
    for (let placed = 0; placed < count; placed += 1) ids.push((await this.place()).order.id);
    return ids;
  }

  /** Creates all deliveries of the owner's events. */
  async fanOut(): Promise<void> {
    for (let calls = 0; (await succeeds(this.server.webhookQueue.fanOut(this.owner))).isMoreLeft; calls += 1)
      assert.ok(calls < 100, 'a fan-out always has more events');
  }

  /**
   * Subscribes an endpoint to orders that are placed and changed, places some, and creates their deliveries. Returns the id
   * of the endpoint, and the last order with its event.
   */
  async deliver(orders = 1): Promise<OrderAndEvent & { readonly id: string }> {
    const { id } = await this.subscribe({ types: ['order.placed', 'order.changed'] });
    await this.placeMany(orders - 1);
    const last = await this.place();
    await this.fanOut();
    return { id, ...last };
  }

  /** Does so, and rejects the first one of the deliveries, with no further attempt during a test. */
  async deliverToFailing(orders: number): Promise<string> {
    const { id } = await this.deliver(orders);
    await this.reject(await this.claimFirst(), LONG_MS);
    return id;
  }

  /** Does so for one order, and for versions of it after that. Returns the id of the endpoint, and the order with its first event. */
  async deliverVersions(count: number): Promise<OrderAndEvent & { readonly id: string }> {
    const { id } = await this.subscribe({ types: ['order.placed', 'order.changed'] });
    const first = await this.place();
    for (let version = 2; version <= count; version += 1) await this.change(first.order.id);
    await this.fanOut();
    return { id, ...first };
  }

  /** Claims deliveries, by default as many as possible. */
  async claim(limit = 100): Promise<readonly Claimed[]> {
    return await succeeds(this.server.webhookQueue.claim(this.owner, limit));
  }

  /** Claims the only delivery that can be claimed. */
  async claimOne(): Promise<Claimed> {
    const claimed = await this.claim();
    assert.equal(claimed.length, 1, 'the number of claimed deliveries');
    return claimed[0] ?? assert.fail('nothing was claimed');
  }

  async claimFirst(): Promise<Claimed> {
    const [first] = await this.claim(1);
    return first ?? assert.fail('nothing was claimed');
  }

  async fanOutAndClaim(): Promise<readonly Claimed[]> {
    await this.fanOut();
    return await this.claim();
  }

  settle(claimed: Claimed, attempt: Attempt, settlement: Settlement): ResultAsync<Settled, Unavailable> {
    return this.server.webhookQueue.settle(this.owner, claimed, attempt, settlement);
  }

  /** Records that the endpoint accepted a delivery. */
  accept(claimed: Claimed | undefined): Promise<Settled> {
    return this.#record(claimed, ACCEPTED, { status: 'delivered', retryInMs: null });
  }

  /** Records that the endpoint rejected a delivery, which is attempted again `retryInMs` later. */
  reject(claimed: Claimed | undefined, retryInMs: number): Promise<Settled> {
    return this.#record(claimed, REJECTED, { status: 'pending', retryInMs });
  }

  /** Records that the worker ended an attempt. */
  interrupt(claimed: Claimed | undefined): Promise<Settled> {
    return this.#record(claimed, INTERRUPTED, { status: 'pending', retryInMs: 0, counts: false });
  }

  /** Records that the endpoint rejected a delivery for the last time. */
  rejectFinally(claimed: Claimed | undefined): Promise<Settled> {
    return this.#record(claimed, REJECTED, { status: 'failed', retryInMs: null });
  }

  async #record(claimed: Claimed | undefined, attempt: Attempt, settlement: Settlement): Promise<Settled> {
    const settled = await succeeds(this.settle(claimed ?? assert.fail('nothing was claimed'), attempt, settlement));
    assert.ok(settled.recorded, 'the attempt of an own claim was not recorded');
    return settled;
  }

  /** Accepts whatever can be claimed, until nothing is left, and returns it in the order of the acceptance. */
  async acceptAll(): Promise<readonly Claimed[]> {
    const accepted: Claimed[] = [];
    for (let claimed = await this.fanOutAndClaim(); claimed.length > 0; claimed = await this.claim()) {
      await Promise.all(claimed.map((one) => this.accept(one)));
      accepted.push(...claimed);
    }
    return accepted;
  }

  /** Returns a page of the log of an endpoint, by default the whole log, newest event first. */
  async log(endpointId: string, query: Partial<DeliveryQuery> = {}): Promise<Page<WebhookDelivery, number>> {
    const whole = { limit: 100, before: null, status: null };
    return await succeeds(this.server.webhookDeliveries.list(this.owner, endpointId, { ...whole, ...query }));
  }

  async logOf(endpointId: string): Promise<readonly WebhookDelivery[]> {
    return (await this.log(endpointId)).data;
  }

  async onlyDelivery(endpointId: string): Promise<WebhookDelivery> {
    const log = await this.logOf(endpointId);
    assert.equal(log.length, 1, 'the number of deliveries');
    return log[0] ?? assert.fail('the log is empty');
  }

  tryRedeliver(endpointId: string, eventId: string): ResultAsync<WebhookDelivery, DeliveryNotFound | Unavailable> {
    return this.server.webhookDeliveries.redeliver(this.owner, endpointId, eventId);
  }

  /** Ends the wait for an endpoint that rejected what it received. */
  async resume(endpointId: string): Promise<void> {
    await succeeds(this.server.webhookDeliveries.resume(this.owner, endpointId));
  }

  async redeliver(endpointId: string, eventId: string): Promise<WebhookDelivery> {
    return await succeeds(this.tryRedeliver(endpointId, eventId));
  }
}

/** Returns the resource of a delivery and its version, as text. */
export function versionOf({ event: { resource } }: { readonly event: FeedEvent<OrderDefinition> }): string {
  return `${resource.id} v${resource.version}`;
}

/** Returns versions of a resource as {@link versionOf} does. */
export function versions(id: string, ...numbers: readonly number[]): readonly string[] {
  return numbers.map((number) => `${id} v${number}`);
}

export function attemptsOf(claimed: readonly Claimed[]): readonly number[] {
  return claimed.map(({ attempt }) => attempt);
}

/** Returns the resources of deliveries and their versions, sorted, so that no order is expected of them. */
export function versionsOf(claimed: readonly Claimed[]): readonly string[] {
  return claimed.map(versionOf).toSorted();
}
