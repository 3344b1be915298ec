import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Order, WriteOptions } from '@orders/domain';
import type { Fault, InjectedFault } from '@orders/postgres-proxy';
import type { ResultAsync } from 'neverthrow';
import { expect, it } from 'vitest';
import { AN_ORDER } from './keyed-writes.ts';
import { proxiedDatabase } from './proxied-database.ts';

const STATEMENT_TIMEOUT_MS = 300;

/** What happens to connections, the last one longer than a statement may take. */
const FAULTS: readonly Fault[] = [
  'cut_before',
  'terminated',
  'response_lost',
  'swallowed',
  'response_swallowed',
  () => sleep(2 * STATEMENT_TIMEOUT_MS),
];

/** Clients at the same time, and how often each places, changes and cancels; at most so many statements ahead a fault is. */
const [CLIENTS, TURNS, AHEAD] = [6, 10, 7];

const ATTEMPTS_MAX = 50;

const database = await proxiedDatabase();

/** Sends a write again until its outcome is known, as a client does after 503. */
async function write(
  send: (options: WriteOptions) => ResultAsync<{ readonly order: Order }, { readonly type: string }>,
) {
  const options = { idempotencyKey: randomUUID() };
  for (let attempts = 1; ; attempts += 1) {
    const result = await send(options);
    if (result.isOk()) return result.value.order;
    if (result.error.type !== 'unavailable' || attempts === ATTEMPTS_MAX) throw new Error(JSON.stringify(result.error));
  }
}

it('writes of many clients, sent again while connections are cut, black-holed and delayed, happen once each', async () => {
  const domain = await database.open({ poolMax: 9, statementTimeoutMs: STATEMENT_TIMEOUT_MS });
  const owner = randomUUID();
  const shared = (await domain.placeOrder(owner, { items: AN_ORDER.items }))._unsafeUnwrap().order;
  const written: Pick<Order, 'id' | 'version'>[] = [shared];
  const met: InjectedFault[] = [];
  const arm = () => {
    const { length } = met;
    if (length > 0 && met.at(-1)?.statement === undefined) return;
    met.push(database.proxy.fault(1 + ((3 * length) % AHEAD), FAULTS[length % FAULTS.length] ?? 'cut_before'));
  };
  const client = async () => {
    for (let turn = 0; turn < TURNS; turn += 1) {
      arm();
      const { id } = await write((options) => domain.placeOrder(owner, { items: AN_ORDER.items }, options));
      const note = randomUUID();
      written.push(
        { id, version: 1 },
        await write((options) => domain.changeOrder(owner, shared.id, { note }, options)),
        await write((options) => domain.cancelOrder(owner, id, {}, options)),
      );
    }
  };
  await Promise.all(Array.from({ length: CLIENTS }, client));

  const { rows } = await database.session.query<{ change: string }>(
    `select aggregate_id || ' ' || version as change from changes where owner_id = $1`,
    [owner],
  );
  const changes = written.map(({ id, version }) => `${id} ${version}`);
  expect(rows.map(({ change }) => change).toSorted()).toEqual(changes.toSorted());
  const keys = await database.session.query('select from idempotency where owner_id = $1', [owner]);
  expect(keys.rows).toHaveLength(changes.length - 1);
  expect(met.filter(({ statement }) => statement !== undefined).length).toBeGreaterThan(3 * FAULTS.length);
});
