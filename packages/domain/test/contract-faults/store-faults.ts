import { type FaultsOfText, faultsIn } from './fault.ts';

const CREATED = /stores a new aggregate, its event and its key/;
const ACKNOWLEDGED = /is stored for every server once it is acknowledged/;
const JOINED = /may have names and keys that are the same text behind those of their owner/;
const CHANGED = /stores a change of what was loaded/;
const DELETED = /stores a deletion, its event and its key/;
const STALE = /is stale for an earlier version/;
const TAKEN = /the id of another or a deleted one/;
const REFUSED = /stores nothing that a rule refuses/;
const USED = /stores nothing when it is used/;
const RECORDED = /is recorded with the version that its write made, whatever is written later/;
const OF_ERASED = /in (customers|webhook endpoints) is recorded with the version/;
const LOCKED = /stores what is decided about the current version/;
const APPLIED = /is applied after every concurrent one/;
const FOREIGN = /cannot be loaded, changed or deleted/;
const SAME_IDS = /may have the same ids and keys/;
const COPIES = /copies arguments and results/;
const SIZES = /in pages of every size/;
const ONCE = /following pages of every size return each version once/;
const NEW_ORDER = /a commit to orders stores a new aggregate/;
const CHANGED_ORDER = /every field that a change may set/;
const VERSIONS = /versions of an order have the event, order and reason of each write/;
const ERASED = /the erasure of an order leaves nothing personal in any version or retry/;
const ERASED_CUSTOMER = /the erasure of a customer erases every earlier version, and frees the email at once/;
const ELEMENTS = [
  /a page of (orders|versions|events with resources) holds up to 1,000 items/,
  /has as many elements as each version has/,
  /counts the adjustments and fulfillments that an order had at its version/,
];

const FILTERED = /filters by every one, two and three filters/;
const FILTERED_CUSTOMERS = /is listed by its id and by ranges of its times/;
const BY_REFERENCE = /sorts references by code points, and filters by the first of them/;

/** Matches a filter, but some values otherwise. */
const matchedUnless = (condition: string, otherwise: string): string =>
  `((member, value) => (${condition} ? ${otherwise} : matchesFilter(filter, member, value)))(aggregate[filter.of], query[name])`;

/** Does something else for writes at the same time as another one. */
const beside = (then: string): string =>
  `if (this.busy) { ${then} } this.busy = true; queueMicrotask(() => (this.busy = false));`;

const APPEND_AGAIN =
  'const last = this.changes.of(owner, id).at(-1); ' +
  'if (last) this.changes.append(owner, id, { ...last, event: { ...last.event, version: last.event.version + 1 } });';
const PUBLISH =
  `this.#kind.publish({ ...write.event, id: 'lost', ` +
  `type: this.#kind.name === 'webhook_endpoint' ? 'webhook_endpoint.disabled' : write.event?.type });`;
const RECORD_KEY = 'if (key) this.#keys.record(owner, key, { aggregate: this.#kind.name, id, version });';

/** Faults of each conflict: no error, another one, or a trace of the write. */
const conflicts = (
  [
    [`return err({ type: 'stale' });`, STALE],
    [`return err({ type: 'id_taken' });`, TAKEN],
    [`return err({ type: 'refused', reason });`, REFUSED],
    [`return err({ type: 'key_used', recorded });`, USED],
  ] as const
).map(([find, test]): FaultsOfText => {
  const isOfKey = test === USED;
  return [
    find,
    ['return ok(null);', test],
    [`return err({ type: 'unavailable', cause: null });`, test],
    [`{ ${PUBLISH} ${find} }`, test],
    ...(isOfKey ? [] : [[`{ ${RECORD_KEY} ${find} }`, test] as const]),
  ];
});

const loading = (members: string): string => `{ aggregate: { ...copy(found), ${members} } }`;
const storing = (members: string): string => `{ ...copy(write.after), ...(write.kind === 'change' && ${members}) }`;

/** What finds a fault of several commits. */
const SEVERAL = /of several new aggregates has the result of each/;
const WHOLE = /of several new aggregates as a whole stores all or none/;

/** Faults of the one place that makes results. */
export const gateFaults = faultsIn('gate.ts', [
  [
    'return new ResultAsync(new Promise((resolve) => resolve(work())));',
    [
      'const done = work(); return new ResultAsync(Promise.resolve(done));',
      [/rejects with the value that the decision throws/, /thrown synchronously/],
    ],
    [
      `return ResultAsync.fromPromise(new Promise((resolve) => resolve(work())), (cause) => ({ type: 'unavailable', cause })).andThen((one) => one);`,
      [/rejects with the value that the decision throws/, /no rejection/],
    ],
  ],
]);

/** Faults of what is written, found and listed of every kind. */
export const aggregateFaults = faultsIn('in-memory-aggregates.ts', [
  ...conflicts,
  [
    'matchesFilter(filter, aggregate[filter.of], query[name])',
    [matchedUnless(`filter.operator === 'in'`, 'value[0] === member'), FILTERED, FILTERED_CUSTOMERS],
    [matchedUnless(`filter.operator === '>=' && member === value`, 'false'), FILTERED, FILTERED_CUSTOMERS],
    [matchedUnless(`filter.operator === '<' && member === value`, 'true'), FILTERED, FILTERED_CUSTOMERS],
    [
      matchedUnless(`filter.operator === 'starts with'`, 'member?.toLowerCase().startsWith(value.toLowerCase())'),
      BY_REFERENCE,
    ],
  ],
  [
    'creates.map((write) => (isWhole ? null : this.#commit(owner, write)))',
    ['creates.map(() => ok(null))', SEVERAL],
    ['creates.map((write) => this.#commit(owner, write))', WHOLE],
  ],
  [`member === 'reference' ? compareCodePoints : compareText`, ['compareText', BY_REFERENCE]],
  ['next: page.next ?? (last ? positionOf(last) : null)', ['next: null', FILTERED]],
  [
    'const { key } = write;',
    [`const { key } = write; if (write.kind === 'create') return ok(null);`, CREATED, ACKNOWLEDGED],

    [`const { key } = write; if (write.kind === 'delete') return ok(null);`, DELETED, /nothing for a deleted endpoint/],
    [`const { key } = write; if (write.kind === 'key_only') return ok(null);`, /stores a key alone/],

    [
      `const { key } = write; ${beside(`if (write.kind !== 'create' && !key) return ok(null);`)}`,
      /stores one of many concurrent writes of a version/,
    ],
    [
      `const { key } = write; if (typeof write.after?.custom === 'string') return err({ type: 'unavailable', cause: null });`,
      /custom data .* stored, replaced and removed as a whole: a text/,
    ],
  ],
  [
    `return err({ type: 'stale' });`,

    [`{ ${PUBLISH} return err({ type: 'stale' }); }`, /without holes/],
  ],

  [
    `if (recorded) return err({ type: 'key_used', recorded });`,

    [
      `if (recorded) return err({ type: 'key_used', recorded: { ...recorded, id: recorded.aggregate?.id ?? '' } });`,
      RECORDED,
    ],

    [
      `if (recorded) { if (write.kind !== 'key_only') this.#commit(owner, { ...write, key: undefined }); return err({ type: 'key_used', recorded }); }`,
      USED,
    ],
  ],
  [
    'const recorded = key ? this.#findRecorded(owner, key) : null;',
    [
      `const recorded = key && !this.busy ? this.#findRecorded(owner, key) : null; ${beside('')}`,
      /be stored when it is unused/,
      /be stored when it is expired/,
      /lets one of many concurrent writes of several aggregates use it/,
    ],
  ],
  [
    `if (write.kind === 'key_only') {`,
    [
      `if (write.kind === 'key_only') { this.#kind.publish({ ...this.changes.of(owner, id).at(-1).event, id: 'again' });`,
      /stores a key alone/,
    ],
    [
      `if (write.kind === 'key_only') {
         if (this.changes.of(owner, id).at(-1)?.snapshot?.version !== version) return err({ type: 'stale' });`,
      /stores a key alone/,
    ],
    [`if (write.kind === 'key_only') { ${APPEND_AGAIN}`, /a commit to orders stores a key alone/],
  ],
  [
    'const changes = this.changes.of(owner, id);',
    [
      'const changes = this.owners().map((each) => this.changes.of(each, id)).find(({ length }) => length > 0) ?? [];',
      FOREIGN,
      SAME_IDS,
    ],
  ],

  [
    'copy(write.after)',
    [`write.kind === 'create' ? write.after : copy(write.after)`, COPIES, /custom data .* is returned as a copy/],
    [`write.kind === 'change' ? write.after : copy(write.after)`, COPIES],
    [
      storing('{ metadata: write.before.aggregate.metadata }'),
      /a commit to (orders|customers) stores a change/,
      CHANGED_ORDER,
    ],
    [storing('{ description: write.before.aggregate.description }'), /a commit to webhook endpoints stores a change/],

    [
      storing('{ paid_at: write.before.aggregate.paid_at ?? write.after.paid_at }'),
      /^orders: .* the last time of each status that was entered again/,
    ],
  ],
  [
    `write.kind === 'change' ? (write.reason ?? null) : null`,
    ['null', VERSIONS],
    [`write.kind === 'change' ? (write.reason ?? changes.at(-1)?.reason ?? null) : null`, VERSIONS],
  ],
  [
    `if (write.kind === 'delete' && this.#kind.erases) this.changes.erase(owner, id, () => null);`,
    [
      '',
      OF_ERASED,
      /every version of a deleted customer/,
      /once it was erased/,
      /has no version of a deleted endpoint/,
    ],
    [
      `if (write.kind === 'delete') for (const { id: each } of [{ id }, ...this.all(owner)]) this.changes.erase(owner, each, () => null);`,
      RECORDED,
    ],
    [
      `if (write.kind === 'delete') for (const each of this.owners()) this.changes.erase(each, id, () => null);`,
      SAME_IDS,
    ],
  ],
  [
    `if (write.kind === 'change' && write.erases) this.changes.erase(owner, id, this.#kind.toErased);`,
    ['', ERASED, ERASED_CUSTOMER],
    [
      `if (write.kind === 'change' && write.erases && key) this.changes.erase(owner, id, this.#kind.toErased);`,
      /the erasure of an order stays after later changes and a deletion/,
      /erases every earlier version, and frees the email/,
    ],
  ],
  [
    'if (key) this.#keys.record(owner, key,',

    [`if (key && write.kind !== 'change') this.#keys.record(owner, key,`, CHANGED],
    [`if (key && write.kind !== 'delete') this.#keys.record(owner, key,`, DELETED],
  ],
  [
    'this.#kind.publish(event);',
    [
      '',
      /a commit to (orders|customers) stores a new aggregate/,
      /a commit to (orders|customers) stores a deletion/,
      [CHANGED, /events\(\) of the subject must return every event of orders, customers and webhook endpoints/],
    ],
  ],
  [
    'ok(this.#load(owner, id))',
    ['ok(this.owners().map((each) => this.#load(each, id)).find((found) => found !== null) ?? null)', FOREIGN],
  ],
  [
    'ok(this.#findRecorded(owner, key))',
    ['ok(null)', CREATED],
    [
      `ok(this.#findRecorded(owner, key) ?? { sameCommand: true, id: '', aggregate: null })`,
      /has no record before it is used/,
    ],
  ],
  [
    'return this.changes.of(owner, id).at(-1)?.snapshot ?? null;',
    ['return this.changes.of(owner, id).at(0)?.snapshot ?? null;', CHANGED],
    [
      'return (this.changes.of(owner, id).at(-1) ?? { snapshot: this.all(owner)[0] ?? null }).snapshot;',
      /returns null for an unknown id/,
    ],
  ],
  [
    '{ aggregate: copy(found) }',
    ['{ aggregate: found }', COPIES],
    [String.raw`{ aggregate: JSON.parse(JSON.stringify(found).replaceAll(/[^\0-~]/g, '?')) }`, NEW_ORDER],
    [loading('total: found.total && { ...found.total, amount: found.total.amount | 0 }'), NEW_ORDER],
    [loading(String.raw`note: found.note?.split('\n')[0] ?? null`), NEW_ORDER],
    [loading('items: found.items?.filter(({ unit_price }) => unit_price.amount > 0)'), NEW_ORDER],
    [loading('items: found.items?.toSorted((left, right) => (left.sku < right.sku ? -1 : 1))'), NEW_ORDER],
    ...['__proto__', 'constructor', '10', 'created_at'].map(
      (name) =>
        [
          loading(
            `metadata: Object.fromEntries(Object.entries(found.metadata ?? {}).filter(([key]) => key !== '${name}'))`,
          ),
          NEW_ORDER,
        ] as const,
    ),
    [loading(`reference: found.reference?.trim() ?? null`), /reference is compared exactly/],
    [loading(`reference: found.reference ?? ''`), /reference may be absent/],
    [loading(`cancel_reason: null`), CHANGED_ORDER],
    [
      loading(String.raw`paid_at: found.paid_at && found.paid_at.replace(/\.\d+/, '.000')`),
      /^orders: .* the time at which each status was entered/,
    ],
    [loading('adjustments: found.adjustments?.slice(0, 1)'), NEW_ORDER],
    [loading('adjustments: found.adjustments?.map((one) => ({ ...one, item_id: null }))'), NEW_ORDER],
    [loading('adjustments: found.adjustments?.map((one) => ({ ...one, included: false }))'), NEW_ORDER],
    [loading('fulfillments: found.fulfillments?.map((one) => ({ ...one, tracking: null }))'), NEW_ORDER],
    [loading('fulfillments: found.fulfillments?.map((one) => ({ ...one, cancelled_at: null }))'), NEW_ORDER],
    [loading('items: found.items?.map((one) => ({ ...one, returned_quantity: 0 }))'), NEW_ORDER],
    [loading('subtotal: found.total'), NEW_ORDER],
    [loading('custom: null'), /custom data .* stored, replaced and removed/],
    [loading('custom: found.custom ?? undefined'), /custom data .* stored, replaced and removed/],
    [
      loading('custom: JSON.parse(JSON.stringify(found.custom ?? null), (_, member) => member ?? undefined)'),
      /custom data .* as a whole: an array with null in it/,
    ],
    [
      loading(
        `custom: JSON.parse(JSON.stringify(found.custom ?? null), (_, member) => (typeof member === 'number' ? Math.fround(member) : member))`,
      ),
      /custom data .* as a whole: numbers/,
    ],
    [loading('custom: found.custom'), /custom data .* is returned as a copy/],
    [loading('email: found.email?.toLowerCase()'), /a commit to customers stores a new aggregate/],
    [loading('types: null'), /a commit to webhook endpoints stores a new aggregate/],
    [loading('secrets: found.secrets?.slice(0, 1)'), /a commit to webhook endpoints stores a new aggregate/],
    [loading('start: found.start & 0xff_ff'), /a commit to webhook endpoints stores a new aggregate/],
  ],
  [
    'if (!record) return null;',
    [`if (record?.aggregate !== this.#kind.name) return null;`, /is used by a write of another kind/],
  ],
  [
    'fingerprint === key.fingerprint && name === this.#kind.name',
    ['name === this.#kind.name', RECORDED],
    ['false', RECORDED],
  ],
  [
    'id, aggregate: copy(this.changes.snapshotOf(owner, id, version))',

    ['id, aggregate: this.has(owner, id) ? copy(this.changes.snapshotOf(owner, id, version)) : null', VERSIONS],
  ],
  [
    'lookUp ? this.#findRecorded(owner, lookUp) : null',
    ['null', /looks up the given key/],
    [`lookUp ? this.#findRecorded(owner, { ...lookUp, now: '' }) : null`, /looks up the given key/],
  ],
  [
    'loaded: recorded ? null : this.#load(owner, id)',
    ['loaded: null', /stores nothing without a write/],

    [
      'loaded: recorded ? null : this.owners().map((each) => this.#load(each, id)).find((found) => found !== null) ?? null',
      FOREIGN,
    ],
  ],
  [
    'const { write, result } = decide({ loaded: recorded ? null : this.#load(owner, id), recorded });',
    [
      `if (this.locked?.has(id)) return err({ type: 'unavailable', cause: 'locked' });
       (this.locked ??= new Set()).add(id);
       const { write, result } = decide({ loaded: recorded ? null : this.#load(owner, id), recorded });
       this.locked.delete(id);`,
      /releases the lock/,
    ],
  ],
  [
    'return (write ? this.#commit(owner, write) : ok(null)).map(() => result);',
    ['return ok(result);', LOCKED],
    [
      `return (write ? this.#commit(owner, write.kind === 'key_only' ? write : { ...write, key: undefined }) : ok(null)).map(() => result);`,
      LOCKED,
      /stores one of many concurrent writes with one key/,
    ],
    [
      `return (write && write.kind !== 'delete' ? this.#commit(owner, write) : ok(null)).map(() => result);`,
      /never restores an aggregate/,
    ],
    [
      'return Promise.resolve().then(() => (write ? this.#commit(owner, write) : ok(null)).map(() => result));',
      APPLIED,
      /is never lost to commits that take no lock/,
    ],
    [
      'return Promise.resolve().then(() => (write ? this.#commit(owner, write) : ok(null)).map(() => result).orElse(() => ok(result)));',
      APPLIED,
      /is never lost to commits that take no lock/,
      /stores nothing with a used key/,
    ],
    [
      `return (write ? this.#commit(owner, write) : ok(null)).map(() => result).orElse((error) => (error.type === 'refused' ? ok(result) : err(error)));`,
      /a locked commit to (orders|customers) stores no change that a rule refuses/,
      /is refused while an order refers/,
    ],
  ],
  [
    'compare(positionOf(aggregate), after) > 0',

    ['true', SIZES],
  ],
  [
    'const { after } = query;',
    [
      'const after = query.after && this.has(owner, query.after.id) ? query.after : null;',
      /continues after one that was deleted/,
    ],
  ],
  [
    `.filter((aggregate) => after === null || compare(positionOf(aggregate), after) > 0)
      .slice(query.offset);`,
    [
      '.slice(query.after ? this.shown : query.offset); this.shown = (query.after ? this.shown : query.offset) + query.limit;',
      /has none twice when others are added/,
    ],
  ],

  [
    'remaining, query.limit, createLimit,',
    [
      'remaining, query.limit, () => { const fits = createLimit(); this.all(owner).slice(0, query.offset).forEach(fits); return fits; },',
      /does not count elements that an offset skips/,
    ],
  ],
  [
    'index === limit ||',
    ['', [SIZES, /a page was longer than its limit/], [ONCE, /longer than its limit/]],

    ['index === Math.max(limit - 1, 1) ||', /skips the number that an offset gives/, [ONCE, /limit 2/]],
  ],
  [
    'data = copy(end === -1 ? remaining : remaining.slice(0, end))',
    ['data = end === -1 ? remaining : remaining.slice(0, end)', /has copies/],
  ],
  [
    'return { data, next: last && data.length < remaining.length ? positionOf(last) : null };',
    [
      'return { data, next: null };',
      SIZES,
      [ONCE, /limit 1/],
      /a page of (orders|customers|versions) holds up to 256 KiB/,
    ],
    [
      'return { data, next: last ? positionOf(last) : null };',
      /begins with the newest/,
      [ONCE, /a page was empty/],
      [/whether or not a version has its number/, /after 2/],
      /a page of orders holds up to 1,000 items/,
    ],
    [
      'return { data, next: last && (data.length < remaining.length || data.length === limit) ? positionOf(last) : null };',
      [SIZES, /a page was empty/],
    ],

    [
      'return { data, next: last && data.length < remaining.length ? positionOf(remaining[data.length]) : null };',
      SIZES,
      ONCE,
      /a page of (orders|customers|versions) ends one element earlier/,
    ],
  ],
  [
    'copy(this.changes.of(owner, id).toReversed())',
    ['this.changes.of(owner, id).toReversed()', /versions of an order are returned as copies/],

    ['copy(this.changes.of(this.owners()[0] ?? owner, id).toReversed())', /belong to their owner alone/],
    ...['items', 'adjustments', 'fulfillments'].map(
      (name) =>
        [
          `copy(this.changes.of(owner, id).map((one, _, all) => ({ ...one, snapshot: one.snapshot &&
            { ...one.snapshot, ${name}: all.findLast(({ snapshot }) => snapshot).snapshot.${name} } })).toReversed())`,
          VERSIONS,
        ] as const,
    ),
  ],
]);

/** Faults of what the aggregates are made of. */
export const partFaults = [
  ...faultsIn('copy.ts', [
    ['Object.entries(value).map(', ['Object.entries(value).toSorted().map(', CREATED]],
    [
      'Object.fromEntries(Object.entries(value).map(([key, member]) => [key, copy(member)]))',
      [
        'Object.assign({}, Object.fromEntries(Object.entries(value).map(([key, member]) => [key, copy(member)])))',
        /a commit to customers stores a new aggregate/,
        NEW_ORDER,
      ],
    ],
  ]),
  ...faultsIn('in-memory-changes.ts', [
    [
      'const histories = this.#histories.get(owner);',
      ['const histories = [...this.#histories.values()].at(-1);', SIZES, /is an empty last page/],
    ],
  ]),
  ...faultsIn('in-memory-keys.ts', [
    ['JSON.stringify([owner, key])', ['key', SAME_IDS], ['owner + key', JOINED], ['`${owner}:${key}`', JOINED]],
    [
      'found.expires_at > now',
      ['true', /can be used again when it has expired/],

      ['Date.parse(found.expires_at) > Date.parse(now) + 1', /can be used again when it has expired, not earlier/],
    ],
  ]),
  ...faultsIn('page-limit.ts', [
    ['elements <= PAGE_ELEMENTS_MAX', ['true', /holds up to 1,000 items/]],
    [
      'elementsOf(element)',
      ['elementsOf({ ...element, adjustments: [] })', ...ELEMENTS],
      ['elementsOf({ ...element, fulfillments: [] })', ...ELEMENTS],
    ],
    [
      'bytes <= PAGE_BYTES_MAX',
      ['true', /ends before it would exceed them/],
      ['bytes <= PAGE_BYTES_MAX + 1', /one byte more/],
      [
        'bytes < PAGE_BYTES_MAX',
        [/a page of (orders|customers) holds up to 256 KiB/, /256 KiB fits/],
        /a page of versions holds up to 256 KiB/,
      ],
    ],
  ]),
];
