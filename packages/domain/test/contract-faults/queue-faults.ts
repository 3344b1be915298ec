import { faultsIn } from './fault.ts';

const TYPES = /types that the endpoint does not want/;
const OWN = /creates only deliveries of its owner/;
const INCLUDES = /with its resource only if the endpoint includes it/;
const AGAIN = /can be made again 60 s later and not before, for the same attempt and with another fence/;
const WRITTEN = /each event that was written before and meanwhile once, in order/;
const FAILED_AGAIN =
  /gets failed deliveries again, before later ones of their resources, if it was disabled while a fan-out runs/;
const FAILED_UNSEEN = /gets failed deliveries again, .* if it was disabled while no fan-out runs/;
const IN_ORDER = /failed delivery again before a later one of its resource whose claim is (accepted|lost)/;
const DUE = /is due while an enabled endpoint has new events or deliveries/;
const REJECTING = /is not due while its endpoint rejects everything/;
const PAGES = /are returned in pages, in the order of their text/;
const GAPS = /one at a time, at growing gaps/;
const TOGETHER = /waits for the first gap after several deliveries/;
const UNCOUNTED = /is none whose attempts do not count/;
const REQUESTED = /is attempted at once if it is requested during the last attempt/;
const DEAD = /means a dead endpoint if none was accepted/;
const LONGEST = /due for longest first/;
const ATTEMPT = /has each delivery with its last attempt/;
const LOG_PAGES = /newest event first, in pages that end at a position/;
const STATUS = /can be limited to one status/;
const ONE = /has only deliveries of one endpoint and its owner/;
const NOT_DUE = /is not due for disabled and deleted endpoints/;

/** Faults of the queue of an endpoint. */
export const endpointQueueFaults = faultsIn('in-memory-endpoint-queue.ts', [
  [
    '(one) => one <= position',
    [
      '(one) => one <= position + 1',
      /makes an endpoint continue at the oldest event/,
      /removes the deliveries with their events/,
    ],
  ],
  ['this.position = start;', ['this.position = 0;', /each event after the start/]],
  [
    `if (waiting.length === 1) delivery.dueAt ??= now;
    else delivery.dueAt = null;`,
    [
      'delivery.dueAt ??= now;',
      /are claimed after the one before was accepted/,
      /while the one before waits for its next attempt/,
      /stay in order after the lease of the one before has expired/,
      /stays behind an earlier event if the delivery is pending/,
    ],
  ],
  [
    `if (status !== 'pending') this.#end(delivery, now);\n    else if`,
    [`if (status === 'delivered') this.#end(delivery, now);\n    else if`, /after the one before has failed finally/],
  ],
  ['this.#waiting.get(resource) ?? []', ['[]', /are in the same order if they were created later/]],
  [
    'delivery.leasedUntil !== null && delivery.leasedUntil > now',
    [
      'delivery.leasedUntil !== null',
      AGAIN,
      /do not count those whose lease has expired/,
      /stay in order after the lease of the one before has expired/,
      /is due when a lease has expired/,
    ],
    [
      'false',
      /delivery in flight a second time/,
      /waits for the lease of a claim/,
      /waits for the lease of a later delivery/,
    ],
  ],
  [
    'return `${event.resource.type} ${event.resource.id}`;',
    [`return 'one';`, /several resources do not block one another$/],
    ['return event.resource.id;', /an order and a customer have the same id/],
  ],
  [
    'readonly #waiting = new Map<',
    ['readonly #waiting = InMemoryEndpointQueue.shared ??= new Map<', /do not block those of another endpoint/],
  ],
  [
    '(left.dueAt ?? 0) - (right.dueAt ?? 0) || left.event.position - right.event.position',
    ['right.event.position - left.event.position', LONGEST],
    ['left.event.position - right.event.position', LONGEST],
  ],

  ['slots -= 1;\n      else', [';\n      else', /at most 8 at a time, by all servers together/]],
  ['delivery.leasedUntil = now + LEASE_MS;', ['delivery.leasedUntil = now;', /belongs to one worker/, AGAIN]],
  [
    'delivery.fence = fence;',
    ['delivery.fence = fence; delivery.attempts += Number(delivery.leasedUntil !== null);', AGAIN],
  ],
  [
    'if (!delivery || delivery.leasedUntil === null || delivery.fence !== claimed.fence)',
    ['if (!delivery || delivery.leasedUntil === null)', /records nothing after the delivery was claimed again/],
    ['if (!delivery || delivery.fence !== claimed.fence)', /records one attempt only/],
    [
      'if (!delivery || (delivery.leasedUntil ?? 0) <= now || delivery.fence !== claimed.fence)',
      /also after its lease/,
    ],
  ],
  [
    'retryInMs, counts = true } = isReleased ? RELEASED : settlement;',

    ['retryInMs, counts = true } = settlement;', REQUESTED],
  ],
  [` && settlement.status !== 'delivered';`, [';', /is accepted by the attempt during which it is requested/]],
  [
    'if (counts) delivery.attempts += 1;',
    ['delivery.attempts += 1;', UNCOUNTED],
    ['', /are not claimed while the one before waits for its next attempt/],
  ],
  [
    'if (delivery.isFresh && freshSlots <= 0) continue;',
    ['', GAPS, REJECTING],
    [
      'if (freshSlots <= 0) continue;',
      /further attempts of deliveries when they are due/,
      /also while the endpoint rejects everything/,
    ],
  ],
  ['if (isDead && settlement.unlessDead)', ['if (false)', /keeps its claim and is not recorded/]],
  ['now + gapMs', ['now + Math.min(gapMs, 5000)', GAPS, TOGETHER]],
  ['if (!delivery.isFresh) return null;', ['', /rejects one event alone/]],
  ['this.#freshAfter = delivery.leasedUntil;', ['', /also while an attempt takes longer than the gap/]],
  [
    'gapMs !== null && claimed.gaps === this.#gaps',
    ['gapMs !== null', TOGETHER, /is not attempted earlier for an attempt that does not count/],
    ['gapMs !== null && counts && claimed.gaps === this.#gaps', /at once after an attempt that does not count/],
  ],
  ['this.#gaps += Number(counts);', ['this.#gaps += 1;', UNCOUNTED]],
  [
    'this.#accepted += 1;\n      this.#gaps = 0;',
    ['this.#accepted += 1;', /everything again once it has accepted/],
    ['this.#gaps = 0;', /does not mean a dead endpoint/],
  ],
  [
    `status === 'failed' && delivery.acceptedBefore === this.#accepted`,
    ['false', DEAD, /means a dead endpoint if only other endpoints accepted one/],

    [`status !== 'delivered' && delivery.acceptedBefore === this.#accepted`, DEAD],
  ],
  [
    'this.#gaps = 0;\n    this.#waiting.clear();',
    ['this.#waiting.clear();', /at once, however often it failed before/],
  ],
  [
    'for (const [position, delivery] of this.#deliveries) {\n      if (delivery.status',
    [
      'for (const [position, delivery] of [...this.#deliveries].toReversed()) {\n      if (delivery.status',
      FAILED_AGAIN,
      IN_ORDER,
    ],
  ],
  [`if (delivery.status === 'failed') {`, [`if (delivery.status !== 'pending') {`, WRITTEN]],

  [
    'isMoreDue: this.claimable(now).length > 0',
    [
      'isMoreDue: false',
      /next one of the same resource has waited/,
      /more than an endpoint may have in flight/,
      /accepts the first one after a rejected one/,
      /its own next attempt is due at once/,
    ],
  ],
  [
    'delivery.attempts = 0;\n      delivery.isFresh = false;',
    ['delivery.isFresh = false;', /new attempts, if the delivery was failed/],
  ],
  [`if (delivery.status !== 'pending') {`, [`if (delivery.status === 'failed') {`, /if the delivery was delivered/]],
  [
    `Object.assign(delivery, { status: 'pending', isRedelivery: true, dueAt: now });`,
    [
      `Object.assign(delivery, { status: 'pending', dueAt: now }); this.#append(delivery, now);`,
      /has no effect on the order of other deliveries/,
    ],
  ],
  [
    'this.#gaps = 0;\n    for (const delivery',
    ['for (const delivery', /gets all that waits for it once it is resumed/],
  ],
  [
    'delivery.attempts = 0;\n      if (!isLeased)',
    ['if (!isLeased)', /resumed, with new attempts/, /if it is resumed during an attempt/],
    [
      'delivery.attempts = 0;\n      delivery.leasedUntil = null;\n      if (true)',
      /if it is resumed during an attempt/,
    ],
  ],
  ['if (index === -1) return;', ['', /settles without a claim of the event that is next in order/]],
  [
    '} else if (delivery.dueAt !== null) delivery.dueAt = now;',
    ['}', /before its successors, if the delivery is pending/],
    ['} else delivery.dueAt = now;', /stays behind an earlier event if the delivery is pending/],
  ],

  [
    `if (delivery?.status === 'pending') this.#end(delivery, now);`,
    ['', /later events of the same resource be claimed/],
  ],

  ['last_error: last?.error ?? null', ['last_error: null', ATTEMPT]],
  [
    'last_duration_ms: last?.duration_ms ?? null',

    ['last_duration_ms: last?.duration_ms ?? null, isNew: attempts === 0', ATTEMPT],
  ],
  [
    'dueAt === null ? null : timestampOf(dueAt)',
    ['timestampOf(dueAt ?? 0)', /none behind an earlier event/],
    ['dueAt === null ? null : timestampOf(0)', /has the time of the next attempt/],
  ],
  ['[...this.#deliveries.values()].toReversed()', ['this.#deliveries.values()', LOG_PAGES]],
]);

/** Faults of the deliveries of all owners. */
export const webhookFaults = faultsIn('in-memory-webhooks.ts', [
  ['endpoint.types?.includes(event.type)', ['true', TYPES]],
  ['!isImportType(event.type)', ['true', /leaves out imports/]],
  [
    'queue.position = event.position;',
    ['queueMicrotask(() => (queue.position = event.position));', /also by two servers at a time/],
  ],
  [
    'const enabled = this.#enabled(owner);',
    [
      `if (!this.nested) {
         this.nested = true;
         for (const other of this.#endpoints.owners()) this.fanOut(other);
         this.nested = false;
       }
       const enabled = this.#enabled(owner);`,
      OWN,
    ],
  ],
  [
    'const due = this.#enabled(owner)',
    ['const due = this.#endpoints.owners().flatMap((each) => this.#enabled(each))', OWN],
    [
      'const due = this.#enabled(owner).slice(0, 1)',
      /a delivery for each endpoint/,
      /does not delay the other endpoints/,
    ],
  ],
  [
    'slice(0, limit);',
    ['slice(0);', /are claimed up to the limit/],
    ['slice(0, Math.min(limit, 8));', /do not count those of other endpoints/],
  ],
  ['this.#fence += 1;', ['this.#fence = 1;', AGAIN]],
  [`endpoint.include.includes('resource')`, ['true', INCLUDES]],
  [
    'endpoint: copy(endpoint)',
    [
      'endpoint: copy(this.#endpoints.versions(owner, endpoint.id).at(-1).snapshot)',
      /the endpoint as it is when it is claimed/,
    ],
  ],
  ['attempt: attempts + 1', ['attempt: attempts', /has the number of its attempt/]],
  [
    `if (endpoint.status !== 'enabled') return [];`,
    ['', /gets no deliveries, and no claims/, NOT_DUE],
    [
      `if (this.#endpoints.all(owner).some(({ status }) => status !== 'enabled')) return [];`,
      /does not stop the other endpoints/,
    ],
  ],
  [
    'const queue = this.#current(owner).get(claimed.endpoint.id);',
    [
      `if (this.#endpoints.all(owner).some(({ id, status }) => id === claimed.endpoint.id && status === 'disabled'))
         return ok(NOTHING_RECORDED);
       const queue = this.#current(owner).get(claimed.endpoint.id);`,
      /records an attempt that was claimed before/,
    ],
  ],
  [
    'return ok(queue?.settle(',
    [
      `if (!queue) return err({ type: 'unavailable', cause: null }); return ok(queue?.settle(`,
      /can be settled after its endpoint was deleted/,
    ],
  ],

  [`snapshot?.status === 'disabled'`, ['false', FAILED_AGAIN, FAILED_UNSEEN]],
  [
    'if (this.#isDue(owner)) due.push(owner);',
    ['', DUE, /when the next attempt of a delivery is/, /when a lease has expired/],
    ['due.push(owner);', DUE, REJECTING, /events that no endpoint wants/, NOT_DUE],
  ],
  [
    'queue.position < latest || queue.claimable(now).length > 0',

    ['queue.position < latest', DUE],
    [
      'queue.claimable(now).some(({ attempts }) => attempts > 0)',
      DUE,
      /enabled again with nothing but failed deliveries/,
    ],

    [
      `queue.position < latest || [...queue.newestFirst(Infinity)].some(({ status }) => status === 'pending')`,
      DUE,
      /when the next attempt of a delivery is/,
      /when a lease has expired/,
      REJECTING,
    ],
  ],
  ['if (seen >= limit)', ['if (seen >= 1000)', PAGES]],
  ['if (after !== null && owner <= after) continue;', ['', PAGES]],
  ['toSorted(compareText)', ['toSorted((left, right) => compareText(left.toLowerCase(), right.toLowerCase()))', PAGES]],
  ['if (status !== null && delivery.status !== status) continue;', ['', STATUS]],

  [
    'const queue = this.#current(owner).get(endpointId);',
    [
      'const queue = this.#endpoints.owners().map((each) => this.#current(each).get(endpointId)).find((one) => one !== undefined);',
      ONE,
    ],
  ],
  [
    'const delivery = this.#current(owner).get(endpointId)?.redeliver',

    ['const delivery = this.#current(owner).values().next().value?.redeliver', ONE],
  ],
  [
    'this.#current(owner).get(endpointId)?.resume(this.#now())',
    [
      'this.#current(owner).forEach((queue) => queue.resume(this.#now()))',
      /gets nothing again that has failed finally or that others wait for/,
    ],
  ],
  [
    `err({ type: 'delivery_not_found', event_id: eventId })`,
    [`err({ type: 'unavailable', cause: null })`, /rejected with delivery_not_found/],
  ],
  [
    'if (living.includes(id)) queue.expire(purged, this.#now());',
    ['if (living.includes(id)) continue;', /removes the deliveries with their events/, /leaves a claim without effect/],
  ],
]);
