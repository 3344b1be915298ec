import { positionOf } from '@orders/domain/events';
import type { Attempt, Outcome, Records, Sighting, Span } from './history.ts';
import { canonical, type Command, decide, type Fields, fieldsOf, isSame, listOf } from './orders-model.ts';

/** What holds for every history. */
export const STATEMENTS = [
  'no write is lost, and none is done twice',
  'each version follows the one before by its command',
  'a retry returns the first result',
  'a rejection has its reason',
  'what is read was current meanwhile',
  'versions have no holes',
  'a list has every element once',
  'references and emails are unique, and customers of orders exist',
  'erased data never returns',
  'each reader gets every event once, in one order',
] as const;

/** One of {@link STATEMENTS}, which does not hold. */
export class Violation extends Error {
  override readonly name = 'Violation';
  readonly statement: (typeof STATEMENTS)[number];

  constructor(statement: (typeof STATEMENTS)[number], details: unknown) {
    super(JSON.stringify(details));
    this.statement = statement;
  }
}

/** An event as the store has it. */
export interface Logged {
  readonly id: string;
  readonly type: string;
  readonly owner: string;
  readonly aggregate_id: string;
  readonly version: number;
  readonly changed: readonly string[];
  readonly occurred_at: string;
  readonly actor: string | null;
}

/** A version of an aggregate, as its command must have made it. */
interface Version {
  readonly event: Logged;
  readonly attempts: readonly Attempt[];
  /** `null` for a deletion. */
  readonly aggregate: Fields | null;
  /** The JSON text with which it was first read. */
  text: string | null;
  /** When it became current: at the earliest, and at the latest. */
  from: number;
  by: number;
}

interface Resource {
  readonly owner: string;
  readonly kind: 'order' | 'customer';
  readonly id: string;
  readonly versions: Version[];
  /** The items with their ids. */
  items: string | null;
}

/** A use of a key. */
interface Use {
  readonly attempt: Attempt;
  /** The result of a retry; `null` if it is not known whether the attempt recorded the key. */
  readonly outcome: Extract<Outcome, { readonly type: 'done' }> | null;
}

/**
 * Checks a history of a store whose events are `log`, each owner's in the order of its positions.
 *
 * @throws {Violation} the history is not one of a correct store
 */
export function checkHistory(history: Records, log: readonly Logged[]): void {
  new Checker(history, log).check();
}

class Checker {
  readonly #history: Records;
  readonly #feeds: ReadonlyMap<string, readonly Logged[]>;
  readonly #resources = new Map<string, Resource>();
  readonly #attempts: ReadonlyMap<string, readonly Attempt[]>;
  readonly #events = new Map<string, Logged>();
  /** The events that each command made: several if its key expired. */
  readonly #made = new Map<string, Logged[]>();
  readonly #uses = new Map<string, Use[]>();

  constructor(history: Records, log: readonly Logged[]) {
    this.#history = history;
    this.#feeds = Map.groupBy(log, ({ owner }) => owner);
    this.#attempts = Map.groupBy(history.attempts, ({ command }) => command.actor);
  }

  check(): void {
    for (const feed of this.#feeds.values()) for (const event of feed) this.#derive(event);
    const sightings = [
      ...this.#history.sightings,
      ...this.#history.attempts.flatMap((attempt) => this.#sightingOf(attempt)),
    ];
    for (const sighting of sightings) this.#place(sighting);
    for (const resource of this.#resources.values()) placeInOrder(resource);
    for (const sighting of sightings) this.#checkSighting(sighting);
    for (const attempt of this.#history.attempts) this.#checkAttempt(attempt);
    this.#checkRules();
    for (const walk of this.#history.walks) this.#checkWalk(walk);
    for (const walk of this.#history.versionWalks) this.#checkVersions(walk);
    for (const read of this.#history.feedReads) this.#checkRead(read);
    for (const loss of this.#history.losses) this.#checkLoss(loss);
  }

  /** Derives the version of an event from the one before, and from its command. */
  #derive(event: Logged): void {
    const { actor, owner, aggregate_id: id, occurred_at: at } = event;
    const attempts = this.#attempts.get(actor ?? '') ?? [];
    const [first] = attempts;
    if (!first) return fail('no write is lost, and none is done twice', { uncalled: event });
    const { command } = first;
    const resource = this.#resourceOf(owner, command.kind, id);
    const last = resource.versions.at(-1);
    const before = last?.aggregate ?? null;
    const decision = decide(this.#history.definition, command, before, { id, at });
    const follows =
      command.owner === owner &&
      (command.id ?? id) === id &&
      event.version === resource.versions.length + 1 &&
      (command.action === 'create') === (resource.versions.length === 0) &&
      'type' in decision &&
      decision.type === event.type &&
      isSame([...decision.changed].toSorted(), [...event.changed].toSorted());
    const clocks = attempts.map(({ now }) => now);
    const timely = at === last?.event.occurred_at || Date.parse(at) >= Math.min(...clocks);
    if (!follows || !timely || at < (last?.event.occurred_at ?? ''))
      return fail('each version follows the one before by its command', { event, command, before, decision });
    const same = attempts.filter(({ command: { key } }) => key !== null && key === command.key);
    const expires = same.length > 0 && Math.max(...clocks) - Math.min(...clocks) >= this.#history.ttlMs;
    const made = this.#made.get(command.actor) ?? [];
    if ((made.length > 0 && !expires) || this.#events.has(event.id))
      return fail('no write is lost, and none is done twice', { event, made, attempts });
    this.#made.set(command.actor, [...made, event]);
    this.#events.set(event.id, event);
    const from = Math.min(...attempts.map(({ begin }) => begin));
    resource.versions.push({ event, attempts, aggregate: decision.after, text: null, from, by: Infinity });
  }

  #resourceOf(owner: string, kind: 'order' | 'customer', id: string): Resource {
    const name = `${owner} ${kind} ${id}`;
    const found = this.#resources.get(name) ?? { owner, kind, id, versions: [], items: null };
    this.#resources.set(name, found);
    return found;
  }

  /** Notes when a version was seen at the latest. */
  #place({ owner, kind, id, version, end }: Sighting): void {
    const seen = this.#resourceOf(owner, kind, id).versions[version - 1];
    if (seen) seen.by = Math.min(seen.by, end);
  }

  /** Returns the version that the outcome of an attempt shows. */
  #sightingOf({ command, outcome, begin, end }: Attempt): readonly Sighting[] {
    if (outcome.type !== 'done') return [];
    const { owner, kind } = command;
    const { aggregate, replayed } = outcome;
    const id = textOf(aggregate?.['id'] ?? command.id);
    const version = Number(aggregate?.['version'] ?? this.#resourceOf(owner, kind, id).versions.length);
    return [{ owner, kind, id, version, aggregate, isCurrent: !replayed, begin, end }];
  }

  #checkSighting(sighting: Sighting): void {
    const { owner, kind, id, version, aggregate, isCurrent, begin, end } = sighting;
    const resource = this.#resourceOf(owner, kind, id);
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
      const items = 'items' in aggregate ? canonical(aggregate['items']) : null;
      resource.items ??= items;
      const known = items === null ? aggregate : { ...aggregate, items: withoutIds(aggregate['items']) };
      if (items !== resource.items || !isSame(known, seen.aggregate))
        return fail('each version follows the one before by its command', { sighting, seen, items: resource.items });
      seen.text = text;
    }
    if (text !== seen.text) return fail('each version follows the one before by its command', { sighting, seen });
  }

  #checkAttempt(attempt: Attempt): void {
    const { command, outcome, begin, end, now } = attempt;
    const uses = this.#usesOf(command);
    const started = uses.filter((use) => use.attempt.begin <= end && expiryOf(use, this.#history.ttlMs) > now);
    const known = started.filter(({ attempt: use, outcome: result }) => result !== null && use.end < begin);
    const isKnown = (use: Use) => isSameCommand(use.attempt.command, command);
    if (outcome.type === 'unknown') return;
    if (outcome.type === 'rejected') {
      const { type } = outcome.error;
      if (type === 'idempotency_key_reused') {
        if (!started.some((use) => !isKnown(use))) fail('a rejection has its reason', { attempt, uses });
        return;
      }
      const isErased = command.kind === 'customer' && type === 'customer_not_found';
      if (known.length > 0 && !isErased) return fail('a retry returns the first result', { attempt, known });
      const isErasedSince = isErased && started.some((use) => isKnown(use) && this.#isGone(use, end));
      const first = this.#firstWrites(started, uses, now);
      if (!isErasedSince && !this.#hasReason(attempt, outcome.error, first))
        return fail('a rejection has its reason', { attempt, first });
      return;
    }
    if (outcome.replayed) {
      if (!started.some((use) => isKnown(use) && this.#isResultOf(use, outcome)))
        return fail('a retry returns the first result', { attempt, started });
      return;
    }
    if (known.length > 0) return fail('a retry returns the first result', { attempt, known });
    const event = this.#events.get(String(outcome.event?.['id']));
    if (outcome.event) {
      if (!event || !isSame(outcome.event, event))
        return fail('no write is lost, and none is done twice', { attempt, event });
    } else if (!this.#statesOf(command, attempt).some(({ decision }) => 'type' in decision && decision.type === null))
      return fail('no write is lost, and none is done twice', { attempt });
  }

  /** Returns the attempts with the key of a command. */
  #usesOf({ owner, key }: Command): readonly Use[] {
    if (key === null) return [];
    if (this.#uses.size === 0) {
      for (const attempt of this.#history.attempts) {
        const { command, outcome } = attempt;
        const name = `${command.owner} ${command.key}`;
        const uses = this.#uses.get(name) ?? [];
        this.#uses.set(name, uses);
        if (outcome.type === 'done' && !outcome.replayed) uses.push({ attempt, outcome });
        if (outcome.type === 'unknown') uses.push({ attempt, outcome: null });
      }
    }
    return this.#uses.get(`${owner} ${key}`) ?? [];
  }

  /** Returns the events of uses of a key whose record certainly exists when the event does. */
  #firstWrites(started: readonly Use[], uses: readonly Use[], now: number): readonly Logged[] {
    const expired = uses.filter((use) => expiryOf(use, this.#history.ttlMs) <= now);
    const isKept = (actor: string) => expired.every(({ attempt }) => attempt.command.actor !== actor);
    const actors = new Set(started.map(({ attempt }) => attempt.command.actor).filter(isKept));
    return [...actors].flatMap((actor) => {
      const made = this.#made.get(actor) ?? [];
      return made.length === 1 ? made : [];
    });
  }

  /** Returns whether a replay has the result of an earlier use of its key. */
  #isResultOf({ attempt, outcome }: Use, replay: Fields): boolean {
    if (outcome) return JSON.stringify(outcome.aggregate) === JSON.stringify(replay['aggregate']);
    const { id = null, version } = fieldsOf(replay['aggregate']);
    const { actor, action, id: changed } = attempt.command;
    const made = this.#made.get(actor) ?? [];
    if (action === 'delete') return id === null && made.length > 0;
    // A command that changed nothing has the version that was current.
    if (made.length === 0) return changed === id;
    return made.some((event) => event.aggregate_id === id && event.version === version);
  }

  /** Returns whether the customer that was written may have been deleted at a time. */
  #isGone({ attempt, outcome }: Use, end: number): boolean {
    const { command } = attempt;
    const made = this.#made.get(command.actor) ?? [];
    const ids = [command.id, outcome?.aggregate?.['id'], ...made.map(({ aggregate_id: id }) => id)];
    return ids.some((id) => {
      const last = this.#resourceOf(command.owner, command.kind, String(id)).versions.at(-1);
      return last?.aggregate === null && last.from <= end;
    });
  }

  /** Returns {@link #possible} versions, with the decision about each. */
  #statesOf(command: Command, span: Span, ends?: readonly Logged[]) {
    const { owner, kind, id } = command;
    const states = id === null ? [null] : this.#possible(owner, kind, id, span, ends);
    return states.map((state) => {
      return { state, decision: decide(this.#history.definition, command, state, { id: '', at: '' }) };
    });
  }

  /** Returns the versions that may have been current in a span, `null` for none, and before the event of each of `ends`. */
  #possible(
    owner: string,
    kind: 'order' | 'customer',
    id: string,
    { begin, end }: Span,
    ends: readonly Logged[] = [],
  ): readonly (Fields | null)[] {
    const { versions } = this.#resourceOf(owner, kind, id);
    const last = Math.min(end, ...ends.map((event) => this.#byOf(event)));
    const own = ends.filter((event) => event.aggregate_id === id).map(({ version }) => version);
    const before = (versions[0]?.by ?? Infinity) >= begin ? [null] : [];
    const current = versions
      .slice(0, Math.min(versions.length, ...own.map((version) => version - 1)))
      .filter(({ from }, at) => from <= last && (versions[at + 1]?.by ?? Infinity) >= begin);
    return [...before, ...current.map(({ aggregate }) => aggregate)];
  }

  /** Returns whether the reason of a rejection may have held meanwhile, and before the event of each of `ends`. */
  #hasReason({ command, begin, end }: Attempt, error: Fields, ends: readonly Logged[]): boolean {
    const { owner, input, id } = command;
    const { type } = error;
    const holds = (of: 'order' | 'customer', other: unknown, test: (state: Fields | null) => boolean) =>
      this.#possible(owner, of, String(other), { begin, end }, ends).some(test);
    switch (type) {
      case 'validation_failed':
        return (
          listOf(error['errors'])[0]?.['field'] === 'customer_id' &&
          holds('customer', input['customer_id'], (state) => state === null)
        );
      case 'reference_taken':
        return (
          error['order_id'] !== id &&
          holds('order', error['order_id'], (it) => it?.['reference'] === input['reference'])
        );
      case 'email_taken':
        return (
          error['customer_id'] !== id && holds('customer', error['customer_id'], (it) => emailOf(it) === emailOf(input))
        );
      case 'customer_has_orders': {
        const orders = [...this.#resources.values()].filter((it) => it.owner === owner && it.kind === 'order');
        return id !== null && orders.some((order) => holds('order', order.id, (it) => it?.['customer_id'] === id));
      }
    }
    return this.#statesOf(command, { begin, end }, ends).some(({ state, decision }) => {
      const { lifecycle, cancel } = this.#history.definition;
      const reason = {
        type,
        id,
        current_version: state?.['version'],
        current_status: state?.['status'],
        requested_status: input['status'],
        available_transitions: lifecycle[String(state?.['status'])],
        fields: ['customer_id', 'reference'].filter((name) => name in input && input[name] !== state?.[name]),
        [`${cancel}_at`]: state?.[`${cancel}_at`] ?? null,
      };
      const isExact = Object.entries(error).every(([name, value]) => isSame(value, Reflect.get(reason, name)));
      return 'error' in decision && decision.error === type && isExact;
    });
  }

  /** Checks the rules about several aggregates: for what certainly held at one time. */
  #checkRules(): void {
    const names = new Map<string, { readonly id: string; readonly by: number; readonly until: number }[]>();
    for (const { owner, kind, id, versions } of this.#resources.values()) {
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
    const { versions } = this.#resourceOf(owner, 'customer', id);
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
    const missing = [...this.#resources.values()].filter(
      (it) =>
        it.owner === owner &&
        it.kind === kind &&
        !found.has(it.id) &&
        this.#possible(owner, kind, it.id, span).every(matches),
    );
    if (missing.length > 0 || !isSorted || !elements.every(matches))
      return fail('a list has every element once', { owner, kind, filter, elements, missing, span });
  }

  #checkVersions({ owner, id, versions, begin }: Records['versionWalks'][number]): void {
    const made = this.#resourceOf(owner, 'order', id).versions;
    const newest = made.findLastIndex(({ by }) => by < begin) + 1;
    const expected = made.slice(0, versions.length).toReversed();
    const isWhole =
      versions.length >= newest &&
      versions.every((version, at) => {
        const { type, changed, occurred_at, actor, version: number } = expected[at]?.event ?? {};
        const { order: _, ...record } = version;
        return isSame(record, { version: number, type, changed, occurred_at, actor });
      });
    if (!isWhole) return fail('versions have no holes', { owner, id, versions, newest });
  }

  #checkRead({ owner, after, types, page, begin }: Records['feedReads'][number]): void {
    const feed = this.#feeds.get(owner) ?? [];
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
    const missed = caught_up ? feed.slice(next.position).find((event) => this.#byOf(event) < begin) : undefined;
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
    const purges = this.#history.purges.filter((purge) => purge.begin < end);
    const isPurged = (this.#feeds.get(owner) ?? [])
      .slice(after, oldest.position)
      .every(({ occurred_at }) => purges.some(({ cutoff }) => occurred_at < cutoff));
    if (oldest.position <= after || !isPurged)
      return fail('each reader gets every event once, in one order', { owner, after, oldest, begin, purges });
  }

  #byOf({ owner, type, aggregate_id: id, version }: Logged): number {
    const kind = type.startsWith('order.') ? 'order' : 'customer';
    return this.#resourceOf(owner, kind, id).versions[version - 1]?.by ?? Infinity;
  }
}

function fail(statement: (typeof STATEMENTS)[number], details: unknown): never {
  throw new Violation(statement, details);
}

/** A version becomes current after the one before it, and before what shows the one after it. */
function placeInOrder({ versions }: Resource): void {
  for (const [at, version] of versions.entries()) version.from = Math.max(version.from, versions[at - 1]?.from ?? 0);
  let by = Infinity;
  for (const version of versions.toReversed()) version.by = by = Math.min(version.by, by);
}

function withoutIds(items: unknown): readonly Fields[] {
  return listOf(items).map((item) => ({ ...item, id: undefined }));
}

function emailOf(customer: Fields | null): string {
  return String(customer?.['email']).normalize('NFC').toLowerCase();
}

function isSameCommand(left: Command, right: Command): boolean {
  const text = ({ kind, action, id, input }: Command) => canonical([kind, action, id, input]);
  return text(left) === text(right);
}

/** Returns when the record of a key expires at the latest. */
function expiryOf({ attempt }: Use, ttlMs: number): number {
  return attempt.now + ttlMs;
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
