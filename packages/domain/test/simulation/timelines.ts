import type { Attempt, Records, Sighting, Span } from './history.ts';
import { type Command, decide, type Fields, isSame } from './orders-model.ts';

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
  readonly external_user_id: string | null;
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

export interface Resource {
  readonly owner: string;
  readonly kind: 'order' | 'customer';
  readonly id: string;
  readonly versions: Version[];
  /** The ids of the items, as many as were ever seen. */
  items: readonly unknown[];
}

/** What must have happened to each resource: its versions, as their commands made them, with the times they were current. */
export class Timelines {
  readonly history: Records;
  readonly feeds: ReadonlyMap<string, readonly Logged[]>;
  readonly resources = new Map<string, Resource>();
  readonly events = new Map<string, Logged>();
  /** The events that each command made: several if its key expired. */
  readonly made = new Map<string, Logged[]>();
  readonly sightings: readonly Sighting[];
  readonly #attempts: ReadonlyMap<string, readonly Attempt[]>;

  /**
   * Derives the timelines from a log of events, each owner's in the order of its positions.
   *
   * @throws {Violation} an event does not follow from its command
   */
  constructor(history: Records, log: readonly Logged[]) {
    this.history = history;
    this.feeds = Map.groupBy(log, ({ owner }) => owner);
    this.#attempts = Map.groupBy(history.attempts, ({ command }) => command.actor);
    for (const feed of this.feeds.values()) for (const event of feed) this.#derive(event);
    this.sightings = [...history.sightings, ...history.attempts.flatMap((attempt) => this.#sightingOf(attempt))];
    for (const sighting of this.sightings) this.#place(sighting);
    for (const resource of this.resources.values()) placeInOrder(resource);
  }

  /** Derives the version of an event from the one before, and from its command. */
  #derive(event: Logged): void {
    const { actor, external_user_id, owner, aggregate_id: id, occurred_at: at } = event;
    const attempts = this.#attempts.get(actor ?? '') ?? [];
    const [first] = attempts;
    if (!first) return fail('no write is lost, and none is done twice', { uncalled: event });
    const { command } = first;
    const resource = this.resourceOf(owner, command.kind, id);
    const last = resource.versions.at(-1);
    const before = last?.aggregate ?? null;
    const decision = decide(this.history.definition, command, before, { id, at });
    const follows =
      command.owner === owner &&
      external_user_id === actor &&
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
    const expires = same.length > 0 && Math.max(...clocks) - Math.min(...clocks) >= this.history.ttlMs;
    const made = this.made.get(command.actor) ?? [];
    if ((made.length > 0 && !expires) || this.events.has(event.id))
      return fail('no write is lost, and none is done twice', { event, made, attempts });
    this.made.set(command.actor, [...made, event]);
    this.events.set(event.id, event);
    const from = Math.min(...attempts.map(({ begin }) => begin));
    resource.versions.push({ event, attempts, aggregate: decision.after, text: null, from, by: Infinity });
  }

  /** Returns the timeline of a resource, which may not exist. */
  resourceOf(owner: string, kind: 'order' | 'customer', id: string): Resource {
    const name = `${owner} ${kind} ${id}`;
    const found = this.resources.get(name) ?? { owner, kind, id, versions: [], items: [] };
    this.resources.set(name, found);
    return found;
  }

  /** Notes when a version was seen at the latest. */
  #place({ owner, kind, id, version, end }: Sighting): void {
    const seen = this.resourceOf(owner, kind, id).versions[version - 1];
    if (seen) seen.by = Math.min(seen.by, end);
  }

  /** Returns the version that the outcome of an attempt shows. */
  #sightingOf({ command, outcome, begin, end }: Attempt): readonly Sighting[] {
    if (outcome.type !== 'done') return [];
    const { owner, kind } = command;
    const { aggregate, replayed } = outcome;
    const id = textOf(aggregate?.['id'] ?? command.id);
    const version = Number(aggregate?.['version'] ?? this.resourceOf(owner, kind, id).versions.length);
    return [{ owner, kind, id, version, aggregate, isCurrent: !replayed, begin, end }];
  }

  /** Returns {@link possible} versions, with the decision about each. */
  statesOf(command: Command, span: Span, ends?: readonly Logged[]) {
    const { owner, kind, id } = command;
    const states = id === null ? [null] : this.possible(owner, kind, id, span, ends);
    return states.map((state) => {
      return { state, decision: decide(this.history.definition, command, state, { id: '', at: '' }) };
    });
  }

  /** Returns the versions that may have been current in a span, `null` for none, and before the event of each of `ends`. */
  possible(
    owner: string,
    kind: 'order' | 'customer',
    id: string,
    { begin, end }: Span,
    ends: readonly Logged[] = [],
  ): readonly (Fields | null)[] {
    const { versions } = this.resourceOf(owner, kind, id);
    const last = Math.min(end, ...ends.map((event) => this.byOf(event)));
    const own = ends.filter((event) => event.aggregate_id === id).map(({ version }) => version);
    const before = (versions[0]?.by ?? Infinity) >= begin ? [null] : [];
    const current = versions
      .slice(0, Math.min(versions.length, ...own.map((version) => version - 1)))
      .filter(({ from }, at) => from <= last && (versions[at + 1]?.by ?? Infinity) >= begin);
    return [...before, ...current.map(({ aggregate }) => aggregate)];
  }

  /** Returns when an event was seen at the latest. */
  byOf({ owner, type, aggregate_id: id, version }: Logged): number {
    const kind = type.startsWith('order.') ? 'order' : 'customer';
    return this.resourceOf(owner, kind, id).versions[version - 1]?.by ?? Infinity;
  }
}

/** Fails the check of a history. */
export function fail(statement: (typeof STATEMENTS)[number], details: unknown): never {
  throw new Violation(statement, details);
}

/** A version becomes current after the one before it, and before what shows the one after it. */
function placeInOrder({ versions }: Resource): void {
  for (const [at, version] of versions.entries()) version.from = Math.max(version.from, versions[at - 1]?.from ?? 0);
  let by = Infinity;
  for (const version of versions.toReversed()) version.by = by = Math.min(version.by, by);
}

/** Returns the email of a customer, as the store compares it. */
export function emailOf(customer: Fields | null): string {
  return String(customer?.['email']).normalize('NFC').toLowerCase();
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
