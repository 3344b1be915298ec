import { faultsIn, sorted } from './fault.ts';

const MEMBERS = /has the members that its write recorded, and no others/;
const FOLLOW = /follow the versions/;
const END = /has caught up only at the end/;
const EMPTY = /also without events/;
const LATEST = /starts at the latest/;
const EXPIRED = /with events_expired and the oldest position/;
const KEPT = /the others keep their positions/;
const SIGNAL = /its signal is aborted/;

const READ = 'return copy({ id, position, type, resource, changed, occurred_at, actor });';
const NUMBER = 'for (const event of feed.unnumbered.splice(0, count)) feed.numbered.push(event);';
const numberingBy = (key: string): string =>
  `feed.numbered.push(...feed.unnumbered.splice(0, count).toSorted((left, right) => (${key.replaceAll('it', 'left')} < ${key.replaceAll('it', 'right')} ? -1 : 1)));`;
const sortingBy = (key: string): string =>
  `${NUMBER} feed.numbered.sort((left, right) => (left.${key} < right.${key} ? -1 : 1));`;

/** Faults of the feed. */
export const feedFaults = faultsIn('in-memory-feed.ts', [
  [
    READ,
    ...['order.placed', 'customer.created', 'order.deleted'].map(
      (type) => [READ.replace('actor }', `actor: type === '${type}' ? null : actor }`), MEMBERS] as const,
    ),
    [READ.replace('actor }', 'actor, owner: event.owner }'), MEMBERS],
    [
      READ.replace('resource', `resource: { ...resource, version: event.version - Number(type === 'order.deleted') }`),
      MEMBERS,
    ],
    [READ.replace('changed,', 'changed: changed.toSorted(),'), MEMBERS],
    [READ.replace('id,', 'id: id.toUpperCase(),'), MEMBERS],
    [READ.replace('copy({', '({'), /an event of the feed is returned as a copy/],
    [READ.replace('resource', `resource: ${sorted('resource')}`), /as the write returned it/],
  ],

  ['data.push(shown);', [`data.push(shown, { ...shown, id: 'another' });`, MEMBERS]],
  [
    'positionOf({ id: last.id, position: purged.position + count })',
    [
      `{ event: last.id.replaceAll('-', '').slice(0, 16), position: purged.position + count }`,
      /is named by the position of the reader/,
    ],
  ],
  [`const hasData = include.includes('resource');`, ['const hasData = true;', /has no resource unless/]],
  [
    NUMBER,

    [sortingBy('occurred_at'), /never change/],
    [sortingBy('id'), /commits late/],
    [numberingBy('it.id'), FOLLOW],

    [numberingBy('it.aggregate_id'), /follow the times/],
    [
      `const fresh = feed.unnumbered.slice(0, count); feed.numbered.push(...fresh);
       queueMicrotask(() => feed.unnumbered.splice(0, fresh.length));`,
      /same for all readers/,
    ],
  ],
  [
    'const { data, covered } = this.#page(feed, skipped, query);',
    [
      `const { data: all, covered } = this.#page(feed, skipped, query);
       const last = feed.numbered[skipped - 1]?.occurred_at ?? '';
       const data = all.filter(({ occurred_at }) => occurred_at > last);`,
      /commits late/,
    ],
  ],
  [
    'const isComplete = feed.unnumbered.length === 0;',
    [
      'const late = feed.numbered.pop(); if (late) queueMicrotask(() => feed.numbered.push(late)); const isComplete = true;',
      /include an acknowledged write/,
    ],
  ],
  [
    'const found = this.#feeds.get(owner);',
    ['const found = this.#feeds.values().next().value;', /separate for each owner, as its events are/],
  ],
  [
    'const next = placeAfter(feed, skipped + covered);',
    ['const next = placeAfter(feed, skipped + Math.max(covered - 1, Math.min(covered, 1)));', /has no event twice/],
    [
      'const next = data.length === 0 ? FEED_START : placeAfter(feed, skipped + covered);',
      EMPTY,
      /keeps the end of the feed valid/,
    ],
    [
      'const next = data.length === 0 ? after : placeAfter(feed, skipped + covered);',
      /advances to the end of the feed/,
    ],
    ['const next = data.length === 0 ? after : positionOf(data.at(-1));', /advances behind the others/],
  ],

  [
    'if (data.length === limit) break;',
    ['', END],
    ['if (covered === limit) break;', /as many events of the requested types as the limit/],
  ],
  [`query.after === null && query.start === 'latest'`, ['false', LATEST]],

  ['types?.includes(event.type) ?? true', ['true', /only events of the requested types/]],
  [
    'if (!isKnown || placeAfter(feed, skipped).event !== after.event)',
    ['if (!isKnown)', /feed_reset if the event there has another id/, /last purged event with feed_reset/],
    [
      `if (!isKnown) return ok({ data: [], next: after, caught_up: true });
       if (placeAfter(feed, skipped).event !== after.event)`,
      /feed_reset if the feed ends before it/,
    ],
  ],

  ['query.after ?? purged', ['query.after ?? FEED_START', KEPT]],
  ['after.position < purged.position', ['query.after && after.position <= purged.position', EXPIRED]],
  [
    `return err({ type: 'events_expired', oldest: purged });`,
    [
      'return this.#read(owner, { ...query, after: null });',
      EXPIRED,
      /concurrent reader the next events or events_expired/,
    ],
    [`return err({ type: 'events_expired', oldest: endOf(feed) });`, EXPIRED],
  ],
  [
    'numberEvents(feed, Infinity);',
    ['feed.unnumbered.splice(0, Infinity);', /numbers the events of an owner without readers/],
  ],
  [
    'feed.numbered.findIndex(({ occurred_at }) => occurred_at >= cutoff)',
    [
      'feed.numbered.findLastIndex(({ occurred_at }) => occurred_at < cutoff) + 1',
      /keeps an old event behind a newer one/,
    ],
    [
      'feed.numbered.findIndex(({ aggregate_id }) => feed.numbered.some((one) => one.aggregate_id === aggregate_id && one.occurred_at >= cutoff))',
      /counts the age of each event/,
    ],
  ],
  [
    'feed.purged = placeAfter(feed, count);',

    ['return;', /removes those before its time/, /removes the deliveries with their events/],
  ],
  [
    'for (const wake of feed.waiters) wake();',
    ['', /after a write of the same server/],
    ['for (const wake of [...feed.waiters].slice(0, 1)) wake();', /each of several waiters/],
  ],
  [
    'signal?.aborted || feed.unnumbered.length > 0 || endOf(feed).position !== position',
    ['signal?.aborted', /written before it began/],
    ['feed.unnumbered.length > 0 || endOf(feed).position !== position', SIGNAL],
  ],
  [
    'await this.#timer.pause(timeoutMs, end);',
    ['', /lasts until its timeout/],
    ['await this.#timer.pause(300, end);', /lasts until its timeout/],
  ],
  [`signal?.addEventListener('abort', wake);`, ['', SIGNAL]],
  [`signal?.removeEventListener('abort', wake);`, ['', /removes its listener/]],
  ['for (const wake of this.#wakeAny) wake();', ['', /a wait for changes ends after a write/]],
  ['this.#published += 1;', ['', /a wait for changes ends after a write/]],
  ['state === `${this.#published}`', ['state !== null', /a wait for changes ends after a write/]],
  [
    'await this.#sleep(this.#wakeAny, options);',
    ['await this.#sleep(this.#wakeAny, { timeoutMs: options.timeoutMs });', /a wait for changes ends with its signal/],
  ],
]);

const EXCLUDES = /has the last saved position, and excludes others/;
const EXPIRES = /expires, and then the next one fences it off/;
const LISTED = /are listed once, in the order of their characters/;
const BEHIND = /are behind until the position of the consumer is the end/;

/** Faults of checkpoints. */
export const checkpointFaults = faultsIn('in-memory-checkpoints.ts', [
  [
    '{ position: null, fence: 0, heldUntil: 0 }',
    ['{ position: { ...FEED_START }, fence: 0, heldUntil: 0 }', /is null before the first is saved/],
  ],
  [
    'JSON.stringify([owner, name])',
    ...['[name]', '[owner]', '[owner, name.toLowerCase()]', '[owner, name.trimEnd()]', '[owner, name.slice(0, 1)]'].map(
      (key) => [`JSON.stringify(${key})`, /belongs to one owner and one consumer/] as const,
    ),
  ],
  [
    'load: (owner, name) => okAsync(copy(at(owner, name).position)),',
    ['load: (owner, name) => okAsync(at(owner, name).position),', /a checkpoint is saved and returned as a copy/],
  ],
  [
    'Object.assign(at(owner, name), { position: copy(position), heldUntil: 0 });',
    [
      'Object.assign(at(owner, name), { position: { ...position, position: position.position % 2 ** 32 }, heldUntil: 0 });',
      /is the last saved position/,
    ],
    ['Object.assign(at(owner, name), { position: copy(position) });', /ends by its release and by a save without it/],
  ],
  ['if (checkpoint.heldUntil > now()) return okAsync<Claim | null>(null);', ['', EXCLUDES]],
  ['checkpoint.fence += 1;', ['', EXPIRES]],
  [
    'checkpoint.heldUntil = now() + CLAIM_MS;',
    ['checkpoint.heldUntil = Infinity;', EXPIRES],
    ['checkpoint.heldUntil = now() + CLAIM_MS / 2;', EXPIRES],
  ],
  ['position: copy(checkpoint.position) });', ['position: null });', EXCLUDES]],
  [
    'return found.fence === fence && found.heldUntil > 0 ? found : null;',
    ['return found.heldUntil > 0 ? found : null;', EXPIRES],
    ['return found.fence === fence ? found : null;', /ends by its release and by a save without it/],
  ],
  [
    'Object.assign(claimed, { position: copy(position), heldUntil: now() + CLAIM_MS });',
    ['claimed.position = copy(position);', /is renewed by a save/],
    ['claimed.heldUntil = now() + CLAIM_MS;', EXCLUDES],
  ],
  ['if (claimed) claimed.heldUntil = 0;', ['', EXCLUDES]],
  ['(left < right ? -1 : 1)', ['left.localeCompare(right)', LISTED]],
  [
    'feed.rangeOf(owner).latest !== (at(owner, name).position ?? FEED_START).position',
    ['feed.rangeOf(owner).latest > (at(owner, name).position ?? FEED_START).position', BEHIND],
    [
      'feed.rangeOf(owner).latest - feed.rangeOf(owner).purged > (at(owner, name).position ?? FEED_START).position',
      /are behind with a purged feed/,
    ],
  ],
]);

/** Faults of what takes thousands of events. */
export const backlogFaults = [
  ...faultsIn('in-memory-feed.ts', [
    ['slice(skipped, skipped + FILTERED_POSITIONS_MAX)', ['slice(skipped)', /cover at most 1,000 positions/]],
    [
      `if (isComplete) return ok({ data: [],`,
      [`if (query.limit > 0) return ok({ data: [],`, /has no known end before the last/],
    ],
    [NUMBER, [`if (feed.numbered.length < 5000) ${NUMBER}`, /is numbered by several reads/]],
  ]),
  ...faultsIn('in-memory-webhooks.ts', [
    ['isMoreLeft ||= queue.position < this.#feed.rangeOf(owner).latest;', ['', /gets them by several fan-outs/]],
  ]),
];
