import type { SimulationOptions } from '@orders/domain/testing';
import type * as Erasures from './erasures.ts';
import type * as Orders from './simulate-orders.ts';

type OptionsOf = (seed: number) => Partial<SimulationOptions<unknown>>;

/** The simulations: the file, from the root of the repository, and what in it returns the options of a seed. */
export const SIMULATIONS = {
  orders: [
    'packages/domain/test/simulation/simulate-orders.ts',
    ({ optionsOf }: Pick<typeof Orders, 'optionsOf'>) => optionsOf,
  ],
  erasures: [
    'packages/domain/test/simulation/erasures.ts',
    ({ ERASURES }: Pick<typeof Erasures, 'ERASURES'>) =>
      () =>
        ERASURES,
  ],
  client: [
    'packages/client/test/simulation/shops.ts',
    ({ SHOPS }: { SHOPS: Partial<SimulationOptions<unknown>> }) =>
      () =>
        SHOPS,
  ],
  'webhooks within minutes': ['packages/webhooks/test/simulation/program.ts', webhooks(0)],
  'webhooks within days': ['packages/webhooks/test/simulation/program.ts', webhooks(1)],
} as const;

function webhooks(at: number) {
  return ({
    simulations,
  }: {
    simulations: readonly (readonly [string, Partial<SimulationOptions<unknown>>])[];
  }): OptionsOf =>
    () =>
      simulations[at]?.[1] ?? {};
}

interface SeededBug {
  readonly name: string;
  readonly simulation: keyof typeof SIMULATIONS;
  /** From the root of the repository. */
  readonly file: string;
  /** A text that the file has once. */
  readonly find: string;
  readonly replace: string;
  /** What does not hold. */
  readonly condition: string;
  /** The first seed that finds it. */
  readonly seed: number;
}

/** Bugs that simulations find. `node --conditions=source seeded-bug.mjs search NAME` prints the last two members. */
export const SEEDED_BUGS: readonly SeededBug[] = [
  // Chosen without knowledge of the simulator.
  {
    name: 'unchanged key not recorded',
    simulation: 'orders',
    file: 'packages/domain/src/aggregates/write-aggregate.ts',
    find: `return { write: key ? { kind: 'key_only', before: loaded, key } : null, result };`,
    replace: 'return { write: null, result };',
    condition: 'a retry returns the first result',
    seed: 1,
  },
  {
    name: 'key lookup trusted after load',
    simulation: 'orders',
    file: 'packages/domain/src/aggregates/write-aggregate.ts',
    find: 'if (committed.value.isOk() || !key) return committed.value;',
    replace: 'if (committed.value.isOk() || !key || lookUp) return committed.value;',
    condition: 'a rejection has its reason',
    seed: 6,
  },
  {
    name: 'keyed deletion skips version',
    simulation: 'orders',
    file: 'packages/domain/src/orders/delete-order.ts',
    find: 'checkVersion(order.version, options)',
    replace: `// A retry comes after its own deletion, so with a key the version says nothing.
        checkVersion(order.version, options.idempotencyKey === undefined ? options : {})`,
    condition: 'each version follows the one before by its command',
    seed: 1,
  },
  {
    name: 'checkpoint before handler',
    simulation: 'orders',
    file: 'packages/domain/src/events/consume-all.ts',
    find: `    await handler(owner, event);
    return await save(positionOf(event));`,
    replace: `    const isSaved = await save(positionOf(event));
    await handler(owner, event);
    return isSaved;`,
    condition: 'each reader gets every event once, in one order',
    seed: 1,
  },
  {
    name: 'failed event passed over',
    simulation: 'orders',
    file: 'packages/domain/src/events/consume-all.ts',
    find: '    await handler(owner, event);',
    replace: '    await Promise.resolve(handler(owner, event)).catch(() => undefined);',
    condition: 'each reader gets every event once, in one order',
    seed: 2,
  },
  {
    name: 'follower skips purged events',
    simulation: 'orders',
    file: 'packages/domain/src/events/follow-pages.ts',
    find: `      if (page.error.type !== 'unavailable') throw new FeedLost(page.error);`,
    replace: `      if (page.error.type === 'events_expired') {
        query = { ...query, after: page.error.oldest };
        continue;
      }
      if (page.error.type !== 'unavailable') throw new FeedLost(page.error);`,
    condition: 'each reader gets every event once, in one order',
    seed: 16,
  },
  {
    name: 'gone response of old url',
    simulation: 'webhooks within minutes',
    file: 'packages/domain/src/webhooks/disable-endpoint.ts',
    find: 'if (before.url !== attempted.url)',
    replace: 'if (before.id !== attempted.id)',
    condition: 'an endpoint is gone when its own URL says so',
    seed: 12,
  },
  {
    name: 'feed keeps resource of event',
    simulation: 'orders',
    file: 'packages/domain/src/testing/in-memory/in-memory-feed.ts',
    find: `    return copy({ id, position, type, resource: this.#resourceOf(event, hasData), changed, occurred_at, actor });
  }`,
    replace: `    const known = hasData ? this.#resources.get(event) : undefined;
    const resource = known ?? this.#resourceOf(event, hasData);
    if (hasData) this.#resources.set(event, resource);
    return copy({ id, position, type, resource, changed, occurred_at, actor });
  }

  /** The resources of events that were read before: a version never changes. */
  readonly #resources = new WeakMap<AnyEvent, FeedResource>();`,
    condition: 'erased data never returns',
    seed: 2,
  },
  {
    name: 'empty feed discarded',
    simulation: 'orders',
    file: 'packages/domain/src/testing/in-memory/in-memory-feed.ts',
    find: `    for (const feed of this.#feeds.values()) {
      numberEvents(feed, Infinity);`,
    replace: `    for (const [owner, feed] of this.#feeds) {
      numberEvents(feed, Infinity);
      // Nothing is left of this feed, so it need not take memory.
      if (feed.numbered.every(({ occurred_at }) => occurred_at < cutoff)) {
        this.#feeds.delete(owner);
        continue;
      }`,
    condition: 'ledger does not throw',
    seed: 16,
  },
  {
    name: 'wait ignores unnumbered events',
    simulation: 'orders',
    file: 'packages/domain/src/testing/in-memory/in-memory-feed.ts',
    find: 'if (signal?.aborted || feed.unnumbered.length > 0 || endOf(feed).position !== position) return;',
    replace: 'if (signal?.aborted || endOf(feed).position !== position) return;',
    condition: 'every reader reaches the end of its feed',
    seed: 4,
  },
  {
    name: 'redelivery overtakes resource',
    simulation: 'webhooks within days',
    file: 'packages/domain/src/testing/in-memory/in-memory-endpoint-queue.ts',
    find: '} else if (delivery.dueAt !== null) delivery.dueAt = now;',
    replace: '} else delivery.dueAt = now;',
    condition: 'an event comes after all earlier ones of its resource were accepted or have failed finally',
    seed: 87,
  },
  {
    name: 'lease begins at the response',
    simulation: 'webhooks within days',
    file: 'packages/webhooks/src/worker/webhook-worker.ts',
    find: 'this.#run(this.#attempt(owner, one, claimedAt, index * gapMs));',
    replace: 'this.#run(this.#attempt(owner, one, this.#timer.now(), index * gapMs));',
    condition: 'an endpoint has at most its maximum of attempts at a time, and one of each delivery',
    seed: 15,
  },
  {
    name: 'slots kept after failed fan out',
    simulation: 'webhooks within days',
    file: 'packages/webhooks/src/worker/webhook-worker.ts',
    find: `      this.#fresh.add(owner);
      throw cause;`,
    replace: `      // The turn is repeated.
      unused = 0;
      this.#fresh.add(owner);
      throw cause;`,
    condition: 'every endpoint has got all that it wants',
    seed: 10,
  },
  {
    name: 'last attempt decides certainty',
    simulation: 'client',
    file: 'packages/client/src/transport/send.ts',
    find: 'uncertain ||= isUncertain(response);',
    replace: 'uncertain = isUncertain(response);',
    condition: 'the client keeps its promises',
    seed: 3,
  },
  {
    name: 'new key after server error',
    simulation: 'client',
    file: 'packages/client/src/transport/send.ts',
    find: '    uncertain ||= isUncertain(response);',
    replace: `    uncertain ||= isUncertain(response);
    // The server has recorded its failure under the key.
    if (idempotencyKey !== undefined && !('failed' in response) && response.status >= 500)
      request.headers['idempotency-key'] = quoted(crypto.randomUUID());`,
    condition: 'the client keeps its promises',
    seed: 2,
  },
  {
    name: 'order update discards version',
    simulation: 'client',
    file: 'packages/client/src/calls/update.ts',
    find: '{ idempotencyKey, signal, ifVersion });',
    replace: '{ idempotencyKey, signal });',
    condition: 'no increment is lost or made twice',
    seed: 2,
  },
  // Chosen with it.
  {
    name: 'the result of a write with a key leaves no record of the key',
    simulation: 'orders',
    file: 'packages/domain/src/testing/in-memory/in-memory-aggregates.ts',
    find: '    if (key) this.#keys.record(owner, key, { aggregate: this.#kind.name, id, version: event.version });',
    replace: '',
    condition: 'no write is lost, and none is done twice',
    seed: 1,
  },
  {
    name: 'a commit that is unavailable counts as done',
    simulation: 'orders',
    file: 'packages/domain/src/aggregates/write-aggregate.ts',
    find: '    return committed.isErr() ? err(committed.error) : ok(result);',
    replace: `    return committed.isErr() && committed.error.type !== 'unavailable' ? err(committed.error) : ok(result);`,
    condition: 'what is read was current meanwhile',
    seed: 2,
  },
  {
    name: 'a stale commit overwrites the newest version',
    simulation: 'orders',
    file: 'packages/domain/src/testing/in-memory/in-memory-aggregates.ts',
    find: `    if (write.kind !== 'create' && changes.at(-1)?.snapshot?.version !== version) return err({ type: 'stale' });
`,
    replace: `    const newest = changes.at(-1)?.snapshot;
    if (write.kind !== 'create' && !newest) return err({ type: 'stale' });
    if (write.kind === 'change' && newest && newest.version !== version) {
      const next = newest.version + 1;
      return this.#commit(owner, {
        ...write,
        before: { aggregate: newest },
        after: { ...write.after, version: next },
        event: { ...write.event, version: next },
      });
    }
`,
    condition: 'each version follows the one before by its command',
    seed: 12,
  },
  {
    name: 'an expired key still replays',
    simulation: 'orders',
    file: 'packages/domain/src/testing/in-memory/in-memory-keys.ts',
    find: '    return found && found.expires_at > now ? found : null;',
    replace: `    return found && now !== '' ? found : null;`,
    condition: 'a rejection has its reason',
    seed: 3,
  },
  {
    name: 'a reference is given to two orders',
    simulation: 'orders',
    file: 'packages/domain/src/testing/in-memory/orders-and-customers.ts',
    find: 'find((other) => other.reference === reference && other.id !== id)',
    replace: 'find((other) => other.reference === reference && other.id !== id && other.note !== null)',
    condition: 'references and emails are unique, and customers of orders exist',
    seed: 1,
  },
  {
    name: 'an order that changed is passed over by an erasure',
    simulation: 'erasures',
    file: 'packages/domain/src/erasures/continue-erasures.ts',
    find: 'if (!erased.value) return ok(left(again));',
    replace: '',
    condition: 'what is erased never returns',
    seed: 2,
  },
  {
    name: 'an order that was erased once counts as erased',
    simulation: 'erasures',
    file: 'packages/domain/src/testing/in-memory/in-memory-orders.ts',
    find: `newest?.event.type === 'order.erased' &&`,
    replace: 'newest &&',
    condition: 'what is erased never returns',
    seed: 23,
  },
  {
    name: 'a repeated erasure erases nothing',
    simulation: 'erasures',
    file: 'packages/domain/src/testing/in-memory/in-memory-orders.ts',
    find: '? newest?.snapshot?.customer_id === customer_id && isPersonal',
    replace: '? false',
    condition: 'what is erased never returns',
    seed: 4,
  },
  {
    name: 'settled twice',
    simulation: 'webhooks within days',
    file: 'packages/domain/src/testing/in-memory/in-memory-endpoint-queue.ts',
    find: 'if (!delivery || delivery.leasedUntil === null || delivery.fence !== claimed.fence)',
    replace: 'if (!delivery || delivery.fence !== claimed.fence)',
    condition: 'a delivery has at most its maximum of attempts, and the gaps of the policy between them',
    seed: 3,
  },
  {
    name: 'a guard does not run again for a newer version',
    simulation: 'orders',
    file: 'packages/domain/src/orders/write-order.ts',
    find: '(event ? checkGuards(definition, operation, before, order) : ok(null))',
    replace: `{
              if (!event || options.isAllowed) return ok(null);
              options = { ...options, isAllowed: true };
              return checkGuards(definition, operation, before, order);
            }`,
    condition: 'each version follows the one before by its command',
    seed: 6,
  },
  {
    name: 'a page of versions begins one too late',
    simulation: 'orders',
    file: 'packages/domain/src/testing/in-memory/in-memory-orders.ts',
    find: 'version < after.value);',
    replace: 'version < after.value - 1);',
    condition: 'versions have no holes',
    seed: 1,
  },
  {
    name: 'a page of a list begins one too early',
    simulation: 'orders',
    file: 'packages/domain/src/testing/in-memory/in-memory-aggregates.ts',
    find: 'after === null || compare(positionOf(aggregate), after) > 0',
    replace: 'after === null || compare(positionOf(aggregate), after) >= 0',
    condition: 'a list has every element once',
    seed: 1,
  },
  {
    name: 'a return makes items open again',
    simulation: 'orders',
    file: 'packages/domain/src/orders/order-rules.ts',
    find: 'less.reduce((rest, name) => rest - item[name], item[of])',
    replace:
      "less.reduce((rest, name) => rest - item[name], item[of] + (of === 'quantity' ? item.returned_quantity : 0))",
    condition: 'a rejection has its reason',
    seed: 7,
  },
  {
    name: 'a cancelled fulfillment stays fulfilled after a return',
    simulation: 'orders',
    file: 'packages/domain/src/orders/apply-order-command.ts',
    find: 'item[rule.changes] + rule.by * quantity',
    replace: 'item[rule.changes] + (item.returned_quantity > 0 ? Math.max(0, rule.by) : rule.by) * quantity',
    condition: 'each version follows the one before by its command',
    seed: 84,
  },
  {
    name: 'a retried adjustment charges twice',
    simulation: 'orders',
    file: 'packages/domain/src/orders/write-order.ts',
    find: 'key: idempotencyFor(ports, options, operation, id, command),',
    replace: "key: operation === 'adjust' ? undefined : idempotencyFor(ports, options, operation, id, command),",
    condition: 'no write is lost, and none is done twice',
    seed: 2,
  },
];
