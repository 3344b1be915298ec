import type { OrderDefinition } from '../../orders/definition/order-definition.ts';
import { err, ok, type Result } from 'neverthrow';
import type { OwnersPage } from '../../events/checkpoints.ts';
import type { Clock } from '../../shared/clock.ts';
import { isImportType } from '../../event-types.ts';
import type { DomainEvent } from '../../shared/domain-event.ts';
import type { Owner } from '../../shared/ids.ts';
import type { Page } from '../../shared/page.ts';
import type { WebhookDeliveries, WebhookDelivery } from '../../webhooks/webhook-delivery.ts';
import type { AnyEndpoint } from '../../webhooks/webhook-endpoint.ts';
import { FAN_OUT_BATCH_MAX, type WebhookQueue } from '../../webhooks/webhook-queue.ts';
import { toResultAsync } from './gate.ts';
import { compareText, type InMemoryAggregates } from './in-memory-aggregates.ts';
import { compareDue, InMemoryEndpointQueue, NOTHING_RECORDED, toWebhookDelivery } from './in-memory-endpoint-queue.ts';
import type { InMemoryFeed } from './in-memory-feed.ts';
import { copy } from './copy.ts';

/** The endpoints of the store, as the queue reads them. */
type StoredEndpoints = Pick<InMemoryAggregates<AnyEndpoint, DomainEvent<string>, never>, 'owners' | 'all' | 'versions'>;

/**
 * The deliveries of all owners, in memory, and their log. Each method is one transaction, as it runs synchronously.
 * Return values are copies.
 */
export class InMemoryWebhooks implements WebhookQueue<OrderDefinition>, WebhookDeliveries<OrderDefinition> {
  readonly #queues = new Map<Owner, Map<string, InMemoryEndpointQueue>>();
  readonly #endpoints: StoredEndpoints;
  readonly #feed: InMemoryFeed;
  readonly #clock: Clock;
  #fence = 0;

  constructor(endpoints: StoredEndpoints, feed: InMemoryFeed, clock: Clock) {
    this.#endpoints = endpoints;
    this.#feed = feed;
    this.#clock = clock;
  }

  readonly findDue: WebhookQueue<OrderDefinition>['findDue'] = (limit, after) =>
    toResultAsync((): Result<OwnersPage, never> => {
      const due: Owner[] = [];
      let seen = 0;
      for (const owner of this.#endpoints.owners().toSorted(compareText)) {
        if (after !== null && owner <= after) continue;
        if (this.#isDue(owner)) due.push(owner);
        seen += this.#endpoints.all(owner).length;
        if (seen >= limit) return ok({ owners: due, next: owner });
      }
      return ok({ owners: due, next: null });
    });

  readonly fanOut: WebhookQueue<OrderDefinition>['fanOut'] = (owner) =>
    toResultAsync(() => {
      const now = this.#now();
      let isMoreLeft = false;
      const enabled = this.#enabled(owner);
      for (const { endpoint, queue } of enabled) {
        for (const event of this.#feed.eventsAfter(owner, queue.position, FAN_OUT_BATCH_MAX)) {
          if (endpoint.types?.includes(event.type) ?? !isImportType(event.type)) queue.add(event, now);
          queue.position = event.position;
        }
        isMoreLeft ||= queue.position < this.#feed.rangeOf(owner).latest;
      }
      return ok({ isMoreLeft, hasEndpoints: enabled.length > 0 });
    });

  readonly claim: WebhookQueue<OrderDefinition>['claim'] = (owner, limit) =>
    toResultAsync(() => {
      const now = this.#now();
      const due = this.#enabled(owner).flatMap(({ endpoint, queue }) =>
        queue.claimable(now).map((delivery) => ({ endpoint, queue, delivery })),
      );
      const claimed = due.toSorted((left, right) => compareDue(left.delivery, right.delivery)).slice(0, limit);
      return ok(
        claimed.map(({ endpoint, queue, delivery }) => {
          this.#fence += 1;
          const gaps = queue.claim(delivery, this.#fence, now);
          const { attempts, event, fence } = delivery;
          const current = this.#feed.eventAt(owner, event.position, endpoint.include.includes('resource'));
          return { endpoint: copy(endpoint), event: current ?? copy(event), attempt: attempts + 1, fence, gaps };
        }),
      );
    });

  readonly settle: WebhookQueue<OrderDefinition>['settle'] = (owner, claimed, attempt, settlement) =>
    toResultAsync(() => {
      const queue = this.#current(owner).get(claimed.endpoint.id);
      return ok(queue?.settle(claimed, attempt, settlement, this.#now()) ?? NOTHING_RECORDED);
    });

  readonly list: WebhookDeliveries<OrderDefinition>['list'] = (owner, endpointId, { limit, before, status }) =>
    toResultAsync((): Result<Page<WebhookDelivery, number>, never> => {
      const queue = this.#current(owner).get(endpointId);
      const data: WebhookDelivery[] = [];
      for (const delivery of queue?.newestFirst(before ?? Infinity) ?? []) {
        if (status !== null && delivery.status !== status) continue;
        const last = data.at(-1);
        if (last && data.length === limit) return ok({ data, next: { value: last.position, id: last.event_id } });
        data.push(toWebhookDelivery(delivery));
      }
      return ok({ data, next: null });
    });

  readonly redeliver: WebhookDeliveries<OrderDefinition>['redeliver'] = (owner, endpointId, eventId) =>
    toResultAsync(() => {
      const delivery = this.#current(owner).get(endpointId)?.redeliver(eventId, this.#now());
      return delivery ? ok(toWebhookDelivery(delivery)) : err({ type: 'delivery_not_found', event_id: eventId });
    });

  readonly resume: WebhookDeliveries<OrderDefinition>['resume'] = (owner, endpointId) =>
    toResultAsync(() => ok(this.#current(owner).get(endpointId)?.resume(this.#now())));

  #now(): number {
    return this.#clock.now().getTime();
  }

  #isDue(owner: Owner): boolean {
    const now = this.#now();
    const { latest } = this.#feed.rangeOf(owner);
    return this.#enabled(owner).some(({ queue }) => queue.position < latest || queue.claimable(now).length > 0);
  }

  /** Returns the enabled endpoints of an owner with their queues, which it brings up to date. */
  #enabled(owner: Owner): readonly { readonly endpoint: AnyEndpoint; readonly queue: InMemoryEndpointQueue }[] {
    const queues = this.#current(owner);
    return this.#endpoints.all(owner).flatMap((endpoint) => {
      if (endpoint.status !== 'enabled') return [];
      const queue = queues.get(endpoint.id) ?? new InMemoryEndpointQueue(endpoint);
      queues.set(endpoint.id, queue);
      if (this.#wasDisabled(owner, endpoint, queue.endpointVersion)) queue.requeue(this.#now());
      queue.endpointVersion = endpoint.version;
      return { endpoint, queue };
    });
  }

  /** Checks whether an enabled endpoint was disabled after a version. */
  #wasDisabled(owner: Owner, { id, version }: AnyEndpoint, seen: number): boolean {
    if (version === seen) return false;
    const unseen = this.#endpoints.versions(owner, id).slice(0, version - seen);
    return unseen.some(({ snapshot }) => snapshot?.status === 'disabled');
  }

  /** Returns the queues of an owner without those of deleted endpoints, and without deliveries of purged events. */
  #current(owner: Owner): Map<string, InMemoryEndpointQueue> {
    const queues = this.#queues.get(owner) ?? new Map<string, InMemoryEndpointQueue>();
    this.#queues.set(owner, queues);
    const living = this.#endpoints.all(owner).map(({ id }) => id);
    const { purged } = this.#feed.rangeOf(owner);
    for (const [id, queue] of queues) {
      if (living.includes(id)) queue.expire(purged, this.#now());
      else queues.delete(id);
    }
    return queues;
  }
}
