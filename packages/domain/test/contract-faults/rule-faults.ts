import { conflictPairs } from '../../src/testing/order-repository-contract/conflict-order.contract.ts';
import { faultsIn, sorted } from './fault.ts';

const VERSIONS = /versions of an order have the event, order and reason of each write/;
const NUMBERS = /are not found by other numbers/;
const UNKNOWN = /do not exist for an unknown id/;
const AT = /is the highest that occurred then or before/;
const EARLIER = /does not exist before the first version/;
const ONCE = /following pages of every size return each version once/;
const EXISTS = /customer of an order must exist/;
const TAKEN = /a commit to orders stores nothing that a rule refuses/;
const EXACTLY = /reference is compared exactly/;
const FREE = /reference is free after a deletion or a change of the holder, and in the orders of another owner/;
const EMAIL = /is refused in any case or composition, with the id of the holder/;
const FREE_EMAIL = /email of a customer is free after a deletion/;
const FOUND_BY_EMAIL = /is found by its email in any case and composition/;
const REFERRED = /is refused while an order refers/;
const TEN = /is limited to ten of one owner, and a deletion makes room/;
const DISABLED = /has webhook_endpoint.disabled with the endpoint at its version, and no other event of it/;

const ERASED_ORDER = /the erasure of an order leaves nothing personal in any version or retry/;
const ERASED_DELETED = /the erasure of a deleted order leaves nothing personal in any version, and adds none/;
const ASSIGNED = /to be erased are those that a version assigns to one of the persons/;
const UNERASED = /to be erased are not those that were erased last, since the person was/;
const REPEATED = /to be erased are for a repeated erasure those that are still assigned/;
const AGAIN = /the erasure of a customer is pending again once it is repeated/;
const GETS_NONE = /an erased customer gets no order, and those that it has can be changed/;
const IMPORTED_ERASED = /an erased customer gets an imported order that was erased since, with what came after/;
const ERASED_DELETION = /an erased customer is not deleted, and has its orders as the first reason/;
const DONE = /the erasure of a customer is done without a further version/;

const concurrently = (kind: string): string =>
  `if (${kind}.busy) return {}; ${kind}.busy = true; queueMicrotask(() => (${kind}.busy = false));`;

/** Faults of the versions and lists of orders. */
export const orderFaults = faultsIn('in-memory-orders.ts', [
  [
    ': customers.has(customer_id) && erased_at > erasedAt',
    [': newest?.snapshot?.customer_id === customer_id && erased_at > erasedAt', ASSIGNED],
    [': erased_at > erasedAt', ASSIGNED],
    [': customers.has(customer_id)', UNERASED],
  ],
  [
    '? newest?.snapshot?.customer_id === customer_id && isPersonal',
    ['? customers.has(customer_id) && isPersonal', REPEATED],
    ['? newest?.snapshot?.customer_id === customer_id', REPEATED],
  ],
  [
    'filter((each) => customers.has(each))',
    ['slice(0)', /for all of the persons whom they concern/],
    ['filter((each) => each === newest?.snapshot?.customer_id)', /for all of the persons whom they concern/],
  ],
  ['reason !== null ||', ['', REPEATED]],
  ['versions.some(', ['versions.slice(-1).some(', REPEATED]],
  ['persons.some(', ['persons.slice(0, 1).some(', ASSIGNED]],
  [`newest?.event.type === 'order.erased' &&`, ['newest &&', UNERASED]],
  [
    'id > after.id || (after.version === 0 && id === after.id)',
    ['id > after.id', /are found from the position before each of their versions/],
    ['id >= after.id', ASSIGNED],
  ],
  [
    'if (!this.has(owner, id)) this.changes.erase(owner, id, withoutPersonalData);',
    ['', ERASED_DELETED],
    ['this.changes.erase(owner, id, withoutPersonalData);', /changes no order that exists, nor one of another owner/],
  ],
  [
    'return { version, type, changed, occurred_at, actor, reason, order };',
    [
      'return { version, type, changed, occurred_at: order?.updated_at ?? occurred_at, actor, reason, order };',
      /start with that of an imported order/,
    ],

    [
      'return { version: version + Number(version > 10), type, changed, occurred_at, actor, reason, order };',
      /have no gaps after concurrent changes/,
    ],

    [`return { version, type, changed, occurred_at, actor, reason, order: ${sorted('order')} };`, VERSIONS],
  ],
  [
    'this.versions(owner, id).map(toOrderVersion)',

    ['this.versions(owner, id).map(toOrderVersion).filter(({ order }) => order)', VERSIONS],

    [
      'this.versions(owner, id).map(toOrderVersion).map((one, at, all) => (at > 0 ? one : { ...one, order: all[1]?.order ?? one.order }))',
      /each has all changes before it/,
    ],
  ],
  [
    'versions.length === 0 ? err(',

    ['versions.length === 0 && query.at !== null ? err(', UNKNOWN],
    ['versions.length === 0 || versions[0].order === null ? err(', [VERSIONS, /order_not_found/]],
    ['versions.length === 0 || (query.at !== null && query.at < versions.at(-1).occurred_at) ? err(', EARLIER],
  ],
  [
    'event.version === version);',
    ['event.version === version + 1);', VERSIONS],

    ['event.version <= version);', NUMBERS],
    [
      `event.version === version); if (Math.abs(version) >= 2 ** 31) return err({ type: 'unavailable', cause: null });`,
      NUMBERS,
    ],
  ],
  [
    'return found ? ok(toOrderVersion(found))',
    ['return found?.snapshot ? ok(toOrderVersion(found))', VERSIONS],
    ['return found ? ok({ ...toOrderVersion(found), actor: null })', VERSIONS],
    [
      'return found ? ok({ ...toOrderVersion(found), order: found.snapshot ?? this.versions(owner, id)[1].snapshot })',
      VERSIONS,
    ],
    ['return found ? ok({ ...toOrderVersion(found), order: this.versions(owner, id)[0].snapshot })', VERSIONS],
    [`return found ? ok({ ...toOrderVersion(found), order: ${sorted('found.snapshot')} })`, VERSIONS],
  ],
  [`err({ type: 'version_not_found', id })`, [`err({ type: 'version_not_found', id: 'another' })`, UNKNOWN]],
  [
    'if (at !== null)',
    ['if (at?.length === 0)', AT],
    [`if (at !== null && versions.some(({ occurred_at }) => occurred_at > at))`, /the only element whatever the limit/],
  ],
  [
    'versions.filter(({ occurred_at }) => occurred_at <= at).slice(0, 1), next: null',

    ['versions.filter(({ occurred_at }) => occurred_at <= at).slice(0, 1), next: { value: 1, id }', [AT, /at 2026-/]],
    [
      'versions.filter(({ occurred_at, version }) => occurred_at <= at || version === 1).slice(0, 1), next: null',
      [EARLIER, /at 2026-/],
    ],
  ],
  [
    'version < after.value);',

    [
      'version <= after.value);',
      [ONCE, /returned twice/],
      /whether or not a version has its number/,
      /continues after versions that were made in between/,
    ],
  ],
  [
    'order === null || fits(order)',
    [
      'fits(order ?? { metadata: {}, items: Array(100), adjustments: [], fulfillments: [] })',
      /and none for a deletion/,
    ],
  ],

  [
    'this.page(owner, query, FILTERS, createPageLimit)',
    [
      `((page) => ({ ...page, data: page.data.filter(({ status }) => query.status === null || query.status.includes(status)) }))(
         this.page(owner, query, Object.fromEntries(Object.entries(FILTERS).filter(([name]) => name !== 'status')), createPageLimit))`,
      /filters by every one, two and three filters/,
    ],
  ],
]);

/** The first of two rules that one write violates, and the second, which a fault reports in its place. */
const PAIRS = [
  conflictPairs(['key_used', 'id_taken', 'unknown_customer', 'customer_erased', 'reference_taken']),
  conflictPairs(['key_used', 'id_taken', 'email_taken']),
  conflictPairs(['key_used', 'customer_has_orders', 'customer_erased']),
].flat();
const first = ([one]: readonly [string, string]): boolean => one === 'key_used';
const inOrder = ([one, other]: readonly [string, string]): RegExp => new RegExp(`${one} comes before ${other}`);

/** Faults of the order in which rules are checked, one for each pair. */
export const conflictOrderFaults = faultsIn('in-memory-aggregates.ts', [
  [
    'if (recorded) return',
    ...PAIRS.filter(first).map(
      (pair) =>
        [
          `const ofWrite = write.kind !== 'key_only' && {
             id_taken: () => write.kind === 'create' && this.changes.of(owner, write.after.id).length > 0,
             ...this.#kind.rulesOf(owner, write),
           };
           if (recorded && !(ofWrite && ofWrite.${pair[1]}?.())) return`,
          inOrder(pair),
        ] as const,
    ),
  ],
  [
    'const reason = firstOf<Refused | typeof ID_TAKEN>(',
    ...PAIRS.filter((pair) => !first(pair)).map(
      (pair) =>
        [
          `const reason = ((checks) =>
             (checks.${pair[0]}?.() && checks.${pair[1]}?.()) || firstOf<Refused | typeof ID_TAKEN>(checks))(`,
          inOrder(pair),
        ] as const,
    ),
  ],
]);

/** Faults of the rules about several aggregates, and of what enters the feed. */
export const ruleFaults = [
  ...faultsIn('orders-and-customers.ts', [
    ['erases: false,', ['erases: true,', VERSIONS, /in orders is recorded with/, /versions of a deleted order/]],
    [
      'const { id, customer_id, reference } = write.after;',
      [
        `const { id, customer_id, reference } = write.after; ${concurrently('orders')}`,
        /a commit to orders gives a name to one of many/,
      ],
    ],
    [
      'customer_id !== null && !customers',

      [`write.kind === 'create' && customer_id !== null && !customers`, EXISTS],
    ],
    ['if (reference === null) return null;', ['', /reference may be absent/]],
    [
      'const holder = orders.all(owner)',

      [`if (write.kind === 'change') return null; const holder = orders.all(owner)`, TAKEN],
      ['const holder = orders.owners().flatMap((each) => orders.all(each))', FREE],
    ],
    [
      'other.reference === reference && other.id !== id',

      ['other.reference?.normalize() === reference.normalize() && other.id !== id', EXACTLY],
    ],
    ['order_id: holder.id', ['order_id: id', TAKEN]],
    [
      'orders.all(owner).some((order) => order.customer_id === id)',
      ['false', REFERRED, /never leaves an order without its customer/],
      ['orders.all(owner).length > 0', REFERRED],
    ],
    [
      'const { id, email } = write.after;',

      [
        `const { id, email } = write.after; ${concurrently('customers')}`,
        /a commit to customers gives a name to one of many/,
      ],
    ],
    [
      'email === null ? undefined : customers.holderOf(owner, emailKey(email), id)',
      [
        'email === null ? undefined : customers.owners().flatMap((each) => customers.holderOf(each, emailKey(email), id) ?? [])[0]',
        FREE_EMAIL,
      ],
      [
        'customers.all(owner).find((other) => other.id !== id && other.email?.normalize() === email?.normalize())',
        [EMAIL, /unexpected/],
      ],
      ['email === null ? undefined : customers.holderOf(owner, emailKey(email))', [EMAIL, /email_taken/]],
    ],
    [
      'erases: true,\n    toErased: () => null,\n    publish,',
      [
        `erases: true,
       toErased: () => null,
       publish: (event) => {
         publish(event);
         const { aggregate_id } = event;
         if (event.type === 'customer.deleted')
           orders.versions = (owner, id) =>
             InMemoryOrders.prototype.versions
               .call(orders, owner, id)
               .map((one) => (id === aggregate_id ? { ...one, snapshot: null } : one));
       },`,
        /are separate from those of a customer/,
      ],
    ],
    ['customer_id: holder.id', ['customer_id: id', EMAIL]],
    [
      'toErased: withoutPersonalData,',
      ['toErased: () => null,', ERASED_ORDER],
      ['toErased: (order) => order,', ERASED_ORDER],
      ['toErased: (order) => ({ ...withoutPersonalData(order), fulfillments: order.fulfillments }),', ERASED_ORDER],
    ],
    [
      'added && isRefusedAsErased(added, customers.find(owner, added.id)?.erased_at ?? null)',
      ['false', GETS_NONE, /never gets an order that is placed concurrently/],
      [
        `write.kind === 'create' && added && isRefusedAsErased(added, customers.find(owner, added.id)?.erased_at ?? null)`,
        GETS_NONE,
      ],
      ['added && customers.find(owner, added.id)?.erased_at', IMPORTED_ERASED],
      [
        `added && isRefusedAsErased({ ...added, erasedBy: write.after.erased_at }, customers.find(owner, added.id)?.erased_at ?? null)`,
        IMPORTED_ERASED,
      ],
    ],
    [`(erased_at === null ? null : { type: 'customer_erased' })`, ['null', ERASED_DELETION]],
  ]),
  ...faultsIn('in-memory-customers.ts', [
    ['this.page(owner, query, CUSTOMER_FILTERS,', ['this.page(owner, query, {},', /is listed by its id and by ranges/]],
    [
      'ok(copy(this.holderOf(owner, key) ?? null))',
      ['ok(copy(this.all(owner).find(({ email }) => email === key) ?? null))', FOUND_BY_EMAIL],
      ['ok(copy(this.owners().flatMap((each) => this.holderOf(each, key) ?? [])[0] ?? null))', FOUND_BY_EMAIL],
    ],
    [
      'this.#personOf(owner, customer)?.requested_at !== requested_at',
      ['false', DONE],
      ['customer.erased_at === null', AGAIN],
    ],
    [
      `this.changes.replaceCurrent(owner, id, { ...customer, erasure: { status: 'done' } });`,
      ['', DONE, /leaves the erased customer, as it is now, to retries/],
    ],
    [`erasure?.status === 'pending' ?`, ['true ?', DONE]],
    [`this.changes.replaceCurrent(owner, id, { ...customer, erasure: { status: 'pending' } });`, ['', AGAIN]],
    ['laterTimestamp(at, next)', ['at', AGAIN]],
    ['before.isRepeated || customer.erasure', ['customer.erasure', AGAIN], ['true || customer.erasure', AGAIN]],
  ]),
  ...faultsIn('in-memory-store.ts', [
    [
      `kind === 'create' && endpoints.all(owner).length >= WEBHOOK_ENDPOINTS_MAX`,
      [`kind === 'create' && endpoints.all(owner).length > WEBHOOK_ENDPOINTS_MAX`, TEN],
      [`kind !== 'delete' && endpoints.all(owner).length >= WEBHOOK_ENDPOINTS_MAX`, [TEN, /unexpected error/]],

      [
        `!endpoints.busy && ((endpoints.busy = true), queueMicrotask(() => (endpoints.busy = false)), kind === 'create') && endpoints.all(owner).length >= WEBHOOK_ENDPOINTS_MAX`,
        /is ten after thirty/,
      ],
    ],
    [
      'if (endpointKind.isPublished(type)) publish({ ...event, type });',
      ['', DISABLED],
      ['publish({ ...event, type });', DISABLED],
    ],
    [
      'return stored.snapshotOf(owner, id, version);',
      [
        'return orders.snapshotOf(owner, id, version) ?? stored.snapshotOf(owner, id, version);',
        /of its owner and kind/,
      ],
      [
        'return stored.all(owner).find((one) => one.id === id) ?? null;',
        /has the resource at its version, as the write/,
        /versions of a deleted order/,
        /at the version of the event/,
      ],
    ],
    [
      'events: () => copy(events)',
      [
        `events: () => copy(events.filter(({ type }) => type.startsWith('order.')))`,
        [/one for each committed event/, /events\(\) of the subject must return every event of orders, customers/],
      ],
    ],
  ]),
];
