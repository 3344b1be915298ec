import type { OrderDefinition } from '../../orders/definition/order-definition.ts';
import type { ORDERS } from '../../orders/order-lifecycle.ts';
import type { ResultAsync } from 'neverthrow';
import type { FeedEvent } from '../../events/feed-event.ts';
import type { Timestamp } from '../../shared/clock.ts';
import type { Owner } from '../../shared/ids.ts';
import type { Unavailable } from '../../shared/unavailable.ts';
import type { Settlement } from '../../webhooks/settle-attempt.ts';
import type { DeliveryQuery, WebhookDeliveries, WebhookDelivery } from '../../webhooks/webhook-delivery.ts';
import type { WebhookEndpointEvent } from '../../endpoints/webhook-endpoint-events.ts';
import type { WebhookEndpointRepository } from '../../webhooks/webhook-endpoint-repository.ts';
import type { WebhookEndpoint } from '../../endpoints/webhook-endpoint.ts';
import type { ClaimedDelivery, Settled, WebhookQueue } from '../../webhooks/webhook-queue.ts';
import type { Attempt } from '../../webhooks/webhook-sender.ts';
import * as assert from '../assertions.ts';
import { change, create, remove as removeAggregate } from '../aggregate-writes.ts';
import { succeeds } from '../contract-subject.ts';
import type { FeedServer } from '../event-feed-contract/subject.ts';
import { type OrderFixtures, RECENT } from '../order-fixtures.ts';
import { sequentialIds } from '../sequential-ids.ts';

/** A server on the store under test. */
export interface WebhookServer<D extends OrderDefinition = typeof ORDERS> extends FeedServer<D> {
  readonly endpoints: WebhookEndpointRepository<D>;
  readonly queue: WebhookQueue<D>;
  readonly deliveries: WebhookDeliveries<D>;
}

/** A store under test, with the endpoints of its owners and their deliveries. */
export interface WebhookQueueSubject<D extends OrderDefinition = typeof ORDERS> extends WebhookServer<D> {
  /** Purges events that occurred before `cutoff`, with their deliveries. Only called with times of the year 2001. */
  purge(cutoff: Timestamp): Promise<void>;
  /**
   * Makes the store's time for `owner` later by `ms` milliseconds. A database whose clock cannot be set moves the stored
   * times of this owner's deliveries back instead: those of leases, next attempts and past results.
   */
  advance(owner: Owner, ms: number): Promise<void>;
  /** Opens another server on the same store. Default: none; the tests of two servers then use one. */
  readonly openAnother?: (() => Promise<WebhookServer<D>> | WebhookServer<D>) | undefined;
}

/** Opens the store under test. Each test calls it once. The store may contain data, as every test uses new owners. */
export type OpenWebhookQueueSubject<D extends OrderDefinition = typeof ORDERS> = () =>
  | Promise<WebhookQueueSubject<D>>
  | WebhookQueueSubject<D>;

/** Time by which a store's clock may run on during a test, in milliseconds. */
export const MARGIN_MS = 4000;

const ids = sequentialIds(0xd);

/** Opens a second server on the store of `subject`, or returns the only one. */
export async function anotherServer(
  subject: WebhookQueueSubject<OrderDefinition>,
): Promise<WebhookServer<OrderDefinition>> {
  return subject.openAnother ? await subject.openAnother() : subject;
}

function anEventOf(
  owner: Owner,
  endpoint: WebhookEndpoint<OrderDefinition>,
  type: WebhookEndpointEvent['type'],
  changed: readonly string[] = [],
): WebhookEndpointEvent {
  const { id: aggregate_id, version, updated_at: occurred_at } = endpoint;
  return { id: ids.next(), type, owner, aggregate_id, version, occurred_at, changed, actor: null };
}

/** Creates an enabled endpoint that receives every event of the feed, unless `fields` has other values. */
export async function subscribe(
  { endpoints }: WebhookServer<OrderDefinition>,
  owner: Owner,
  fields: Partial<WebhookEndpoint<OrderDefinition>> = {},
): Promise<WebhookEndpoint<OrderDefinition>> {
  const endpoint: WebhookEndpoint<OrderDefinition> = {
    id: ids.next(),
    url: 'https://receiver.example/orders',
    types: null,
    include: [],
    description: null,
    status: 'enabled',
    disabled_reason: null,
    secrets: [{ serial: 1, key: 'key-1', expires_at: null }],
    start: 0,
    version: 1,
    created_at: RECENT,
    updated_at: RECENT,
    ...fields,
  };
  const event = anEventOf(owner, endpoint, 'webhook_endpoint.created');
  return (await succeeds(create(endpoints, owner, endpoint, event))).aggregate;
}

/** Changes members of an endpoint. */
export async function reconfigure(
  { endpoints }: WebhookServer<OrderDefinition>,
  owner: Owner,
  id: string,
  fields: Partial<WebhookEndpoint<OrderDefinition>>,
): Promise<WebhookEndpoint<OrderDefinition>> {
  const written = await succeeds(
    change(endpoints, owner, id, (before) => {
      const after = { ...before, ...fields, version: before.version + 1 };
      const type = fields.status === 'disabled' ? 'webhook_endpoint.disabled' : 'webhook_endpoint.changed';
      return { after, event: anEventOf(owner, after, type, Object.keys(fields)) };
    }),
  );
  return written.aggregate;
}

/** Disables an endpoint. */
export async function disable(server: WebhookServer<OrderDefinition>, owner: Owner, id: string): Promise<void> {
  await reconfigure(server, owner, id, { status: 'disabled', disabled_reason: 'requested' });
}

/** Enables an endpoint. */
export async function enable(server: WebhookServer<OrderDefinition>, owner: Owner, id: string): Promise<void> {
  await reconfigure(server, owner, id, { status: 'enabled', disabled_reason: null });
}

/** Deletes an endpoint. */
export async function remove({ endpoints }: WebhookServer<OrderDefinition>, owner: Owner, id: string): Promise<void> {
  const deletion = (endpoint: WebhookEndpoint<OrderDefinition>) =>
    anEventOf(owner, { ...endpoint, version: endpoint.version + 1 }, 'webhook_endpoint.deleted');
  await succeeds(removeAggregate(endpoints, owner, id, deletion));
}

/** Creates all deliveries of the owner's events. */
export async function fanOut({ queue }: WebhookServer<OrderDefinition>, owner: Owner): Promise<void> {
  for (let calls = 0; (await succeeds(queue.fanOut(owner))).isMoreLeft; calls += 1)
    assert.ok(calls < 100, 'a fan-out always has more events');
}

/** Claims deliveries, by default as many as possible. */
export async function claim(
  { queue }: WebhookServer<OrderDefinition>,
  owner: Owner,
  limit = 100,
): Promise<readonly ClaimedDelivery<OrderDefinition>[]> {
  return await succeeds(queue.claim(owner, limit));
}

/** Places orders and returns their ids. */
export async function placeMany(
  { place }: OrderFixtures,
  server: WebhookServer<OrderDefinition>,
  owner: Owner,
  count: number,
): Promise<readonly string[]> {
  const ids: string[] = [];
  for (let placed = 0; placed < count; placed += 1) ids.push((await place(server, owner)).order.id);
  return ids;
}

/** Claims the only delivery that can be claimed. */
export async function claimOne(
  server: WebhookServer<OrderDefinition>,
  owner: Owner,
): Promise<ClaimedDelivery<OrderDefinition>> {
  const claimed = await claim(server, owner);
  const [one] = claimed;
  assert.deepEqual(claimed.length, 1, 'the number of claimed deliveries');
  return one ?? assert.fail('nothing was claimed');
}

/** Creates deliveries, and then claims them. */
export async function fanOutAndClaim(
  server: WebhookServer<OrderDefinition>,
  owner: Owner,
): Promise<readonly ClaimedDelivery<OrderDefinition>[]> {
  await fanOut(server, owner);
  return await claim(server, owner);
}

/** An attempt that the endpoint accepted. */
export const ACCEPTED: Attempt = { status: 204, error: null, duration_ms: 12, retryAfterMs: null };
/** An attempt that the endpoint rejected. */
export const REJECTED: Attempt = { status: 500, error: 'status_not_accepted', duration_ms: 34, retryAfterMs: null };

/** An attempt that its worker ended. */
const INTERRUPTED: Attempt = { status: null, error: 'interrupted', duration_ms: 5, retryAfterMs: null };

/** Records an attempt with its settlement. */
export function settle(
  { queue }: WebhookServer<OrderDefinition>,
  owner: Owner,
  claimed: ClaimedDelivery<OrderDefinition>,
  attempt: Attempt,
  settlement: Settlement,
): ResultAsync<Settled, Unavailable> {
  return queue.settle(owner, claimed, attempt, settlement);
}

/** Records that the endpoint accepted a delivery. */
export async function accept(
  server: WebhookServer<OrderDefinition>,
  owner: Owner,
  claimed: ClaimedDelivery<OrderDefinition>,
): Promise<Settled> {
  return await recorded(settle(server, owner, claimed, ACCEPTED, { status: 'delivered', retryInMs: null }));
}

/** Records that the endpoint rejected a delivery, which is attempted again `retryInMs` later. */
export async function reject(
  server: WebhookServer<OrderDefinition>,
  owner: Owner,
  claimed: ClaimedDelivery<OrderDefinition>,
  retryInMs: number,
): Promise<Settled> {
  return await recorded(settle(server, owner, claimed, REJECTED, { status: 'pending', retryInMs }));
}

/** Records that the worker ended an attempt. */
export async function interrupt(
  server: WebhookServer<OrderDefinition>,
  owner: Owner,
  claimed: ClaimedDelivery<OrderDefinition>,
): Promise<Settled> {
  const settlement = { status: 'pending', retryInMs: 0, counts: false } as const;
  return await recorded(settle(server, owner, claimed, INTERRUPTED, settlement));
}

/** Records that the endpoint rejected a delivery for the last time. */
export async function rejectFinally(
  server: WebhookServer<OrderDefinition>,
  owner: Owner,
  claimed: ClaimedDelivery<OrderDefinition>,
): Promise<Settled> {
  return await recorded(settle(server, owner, claimed, REJECTED, { status: 'failed', retryInMs: null }));
}

async function recorded(result: ResultAsync<Settled, Unavailable>): Promise<Settled> {
  const settled = await succeeds(result);
  assert.ok(settled.recorded, 'the attempt of an own claim was not recorded');
  return settled;
}

/** Accepts whatever can be claimed, until nothing is left, and returns it in the order of the acceptance. */
export async function acceptAll(
  server: WebhookServer<OrderDefinition>,
  owner: Owner,
): Promise<readonly ClaimedDelivery<OrderDefinition>[]> {
  const accepted: ClaimedDelivery<OrderDefinition>[] = [];
  for (let claimed = await fanOutAndClaim(server, owner); claimed.length > 0; claimed = await claim(server, owner)) {
    await Promise.all(claimed.map((one) => accept(server, owner, one)));
    accepted.push(...claimed);
  }
  return accepted;
}

/** Returns the resource of a delivery and its version, as text. */
export function versionOf({ event: { resource } }: { readonly event: FeedEvent<OrderDefinition> }): string {
  return `${resource.id} v${resource.version}`;
}

/** Returns the resources of deliveries and their versions, sorted, so that no order is expected of them. */
export function versionsOf(claimed: readonly ClaimedDelivery<OrderDefinition>[]): readonly string[] {
  return claimed.map(versionOf).toSorted();
}

/** Returns the whole log of an endpoint, newest event first. */
export async function logOf(
  { deliveries }: WebhookServer<OrderDefinition>,
  owner: Owner,
  endpointId: string,
  query: Partial<DeliveryQuery> = {},
): Promise<readonly WebhookDelivery<OrderDefinition>[]> {
  const { data } = await succeeds(
    deliveries.list(owner, endpointId, { limit: 100, before: null, status: null, ...query }),
  );
  return data;
}

/** Returns the only delivery of an endpoint. */
export async function onlyDelivery(
  server: WebhookServer<OrderDefinition>,
  owner: Owner,
  endpointId: string,
): Promise<WebhookDelivery<OrderDefinition>> {
  const log = await logOf(server, owner, endpointId);
  assert.equal(log.length, 1, 'the number of deliveries');
  return log[0] ?? assert.fail('the log is empty');
}
