import { positionOf } from '@orders/domain/events';
import type { Records, Sighting } from './history.ts';
import { type Fields, isSame, listOf, withoutIds } from './orders-model.ts';
import { emailOf, fail, type Timelines } from './timelines.ts';

/** Checks what was read: resources, lists, versions and feeds, and the rules about several resources. */
export class ReadCheck {
  readonly #timelines: Timelines;

  constructor(timelines: Timelines) {
    this.#timelines = timelines;
  }

  check(): void {
    const { walks, versionWalks, feedReads, losses } = this.#timelines.history;
    this.#checkRules();
    for (const walk of walks) this.#checkWalk(walk);
    for (const walk of versionWalks) this.#checkVersions(walk);
    for (const read of feedReads) this.#checkRead(read);
    for (const loss of losses) this.#checkLoss(loss);
  }

  checkSightings(): void {
    for (const sighting of this.#timelines.sightings) this.#checkSighting(sighting);
  }

  #checkSighting(sighting: Sighting): void {
    const { owner, kind, id, version, aggregate, isCurrent, begin, end } = sighting;
    const resource = this.#timelines.resourceOf(owner, kind, id);
    const { versions } = resource;
    if (version === 0) {
      const isGone = isCurrent && (versions.at(-1)?.aggregate ?? null) === null && (versions.at(-1)?.from ?? 0) <= end;
      if (isGone || (versions[0]?.by ?? Infinity) >= begin) return;
      return fail('what is read was current meanwhile', { sighting, versions });
    }
    const seen = versions[version - 1];
    const next = versions[version];
    if (!seen || seen.from > end || (isCurrent && next && next.by < begin))
      return fail('what is read was current meanwhile', { sighting, seen, next });
    const isErased = kind === 'customer' && versions.at(-1)?.aggregate === null;
    if (isErased && aggregate && (versions.at(-1)?.by ?? Infinity) < begin)
      return fail('erased data never returns', { sighting, versions });
    if (aggregate === null) {
      if (seen.aggregate === null || (isErased && (versions.at(-1)?.from ?? Infinity) <= end)) return;
      return fail('what is read was current meanwhile', { sighting, seen });
    }
    const text = JSON.stringify(aggregate);
    if (seen.text === null) {
      const items = listOf(aggregate['items']).map((item) => item['id']);
      const areKept = items.every((item, at) => item === (resource.items[at] ?? item));
      if (items.length > resource.items.length) resource.items = items;
      const known = kind === 'order' ? withoutIds(aggregate) : aggregate;
      if (!areKept || !isSame(known, seen.aggregate))
        return fail('each version follows the one before by its command', { sighting, seen, items: resource.items });
      seen.text = text;
    }
    if (text !== seen.text) return fail('each version follows the one before by its command', { sighting, seen });
  }

  /** Checks the rules about several aggregates: for what certainly held at one time. */
  #checkRules(): void {
    const names = new Map<string, { readonly id: string; readonly by: number; readonly until: number }[]>();
    for (const { owner, kind, id, versions } of this.#timelines.resources.values()) {
      for (const [at, { aggregate, by }] of versions.entries()) {
        if (!aggregate) continue;
        const until = versions[at + 1]?.from ?? Infinity;
        if (!this.#hasCustomer(owner, aggregate['customer_id'] ?? null, by, until))
          return fail('references and emails are unique, and customers of orders exist', { id, aggregate, by, until });
        const unique = kind === 'order' ? aggregate['reference'] : emailOf(aggregate);
        if (unique === null || by >= until) continue;
        const name = JSON.stringify([owner, kind, unique]);
        const holders = names.get(name) ?? [];
        names.set(name, holders);
        const other = holders.find((it) => it.id !== id && it.by < until && by < it.until);
        if (other)
          return fail('references and emails are unique, and customers of orders exist', { id, aggregate, other });
        holders.push({ id, by, until });
      }
    }
  }

  /** Returns whether the customer of an order, or none, may have existed as long as the order had it. */
  #hasCustomer(owner: string, id: unknown, by: number, until: number): boolean {
    if (typeof id !== 'string') return true;
    const { versions } = this.#timelines.resourceOf(owner, 'customer', id);
    const [first, last] = [versions[0], versions.at(-1)];
    return first !== undefined && first.from <= by && (last?.aggregate !== null || last.by >= until);
  }

  #checkWalk({ owner, kind, filter, elements, ...span }: Records['walks'][number]): void {
    const matches = (it: Fields | null): boolean =>
      it !== null &&
      Object.entries(filter).every(([name, value]) => (Array.isArray(value) ? value : [value]).includes(it[name]));
    const found = new Set(elements.map(({ id }) => id));
    const places = elements.map(({ created_at: at, id }) => `${String(at)} ${String(id)}`);
    const isSorted = places.every((place, at) => at === 0 || place < String(places[at - 1]));
    const missing = [...this.#timelines.resources.values()].filter(
      (it) =>
        it.owner === owner &&
        it.kind === kind &&
        !found.has(it.id) &&
        this.#timelines.possible(owner, kind, it.id, span).every(matches),
    );
    if (missing.length > 0 || !isSorted || !elements.every(matches))
      return fail('a list has every element once', { owner, kind, filter, elements, missing, span });
  }

  #checkVersions({ owner, id, versions, begin }: Records['versionWalks'][number]): void {
    const made = this.#timelines.resourceOf(owner, 'order', id).versions;
    const newest = made.findLastIndex(({ by }) => by < begin) + 1;
    const expected = made.slice(0, versions.length).toReversed();
    const isWhole =
      versions.length >= newest &&
      versions.every((version, at) => {
        const { type, changed, occurred_at, actor, external_user_id, version: number } = expected[at]?.event ?? {};
        const { order: _, ...record } = version;
        return isSame(record, { version: number, type, changed, occurred_at, actor, external_user_id, reason: null });
      });
    if (!isWhole) return fail('versions have no holes', { owner, id, versions, newest });
  }

  #checkRead({ owner, after, types, page, begin }: Records['feedReads'][number]): void {
    const feed = this.#timelines.feeds.get(owner) ?? [];
    const { data, next, caught_up } = page;
    const start = after ?? (data[0] ? data[0].position - 1 : next.position);
    const expected = feed
      .slice(start, next.position)
      .map(({ aggregate_id: id, version, ...event }, at) => {
        const kind = event.type.startsWith('order.') ? 'order' : 'customer';
        return { ...event, position: start + at + 1, resource: { type: kind, id, version } };
      })
      .filter(({ type }) => types?.includes(type) ?? true);
    const read = data.map(({ resource: { type, id, version }, ...event }) => ({
      ...event,
      owner,
      resource: { type, id, version },
    }));
    const last = feed[next.position - 1];
    const isPlace = last ? isSame(positionOf({ id: last.id, position: next.position }), next) : next.position === 0;
    const missed = caught_up
      ? feed.slice(next.position).find((event) => this.#timelines.byOf(event) < begin)
      : undefined;
    if (next.position < start || !isPlace || missed || !isSame(read, expected))
      return fail('each reader gets every event once, in one order', {
        owner,
        after,
        types,
        next,
        read,
        expected,
        missed,
      });
  }

  #checkLoss({ owner, after, oldest, begin, end }: Records['losses'][number]): void {
    const purges = this.#timelines.history.purges.filter((purge) => purge.begin < end);
    const isPurged = (this.#timelines.feeds.get(owner) ?? [])
      .slice(after, oldest.position)
      .every(({ occurred_at }) => purges.some(({ cutoff }) => occurred_at < cutoff));
    if (oldest.position <= after || !isPurged)
      return fail('each reader gets every event once, in one order', { owner, after, oldest, begin, purges });
  }
}
