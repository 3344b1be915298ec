import { setTimeout as sleep } from 'node:timers/promises';
import {
  type InjectedFault,
  type Fault,
  type PostgresProxy,
  type Statement,
  startPostgresProxy,
} from '@orders/postgres-proxy';
import { random } from '@orders/property-runs/random';
import { install } from '../installation.ts';
import type { Attempt } from '../load/client.ts';
import { type Load, startLoad } from '../load/load.ts';
import { isRecord } from '../load/resource.ts';
import type { Scenario, Stage } from '../stage.ts';

/** How often clients meet a fault. A black hole keeps its connection of PostgreSQL, which has a hundred. */
const OPERATIONS_PER_FAULT = 10;

/** A short time limit, so that statements without a response soon fail. */
const STATEMENT_TIMEOUT_MS = 500;

/** A connection, a row that somebody else has locked, the statement itself; each with its grace; and some for us. */
const RESPONSE_MS = 15_000;

/** The first is longer than a statement may take, and than a transaction may wait for its next one. */
const DELAYS_MS = [700, 50, 200];

/** At most so many statements after it was armed a fault happens. */
const AHEAD = 12;

const KINDS: Readonly<Record<string, Fault | undefined>> = {
  cut: 'cut_before',
  ended: 'terminated',
  'response lost': 'response_lost',
  'black hole': 'swallowed',
  'response in a black hole': 'response_swallowed',
  delayed: undefined,
};

/** A call of a function that writes, and whose commit is part of it: its outcome is unknown without a response. */
const isWrite = ({ text }: Statement): boolean => /^\s*select "?\w+"?\."\w+_[0-9a-f]{16}"\(/.test(text);

export const connectionFaults: Scenario = {
  name: 'connection-faults',
  about: 'connections to PostgreSQL cut, delayed and black-holed amid statements and amid writes',
  run: async (stage) => {
    const proxies: PostgresProxy[] = [];
    const throughProxy = async (url: string) => {
      const proxy = await startPostgresProxy(url);
      stage.atEnd(() => proxy.close());
      proxies.push(proxy);
      return proxy.url;
    };
    const env = { STATEMENT_TIMEOUT_MS: `${STATEMENT_TIMEOUT_MS}` };
    const { postgres, apiKeys, urls } = await install(stage, env, throughProxy);
    const load = await startLoad(stage, {
      urls,
      apiKeys,
      // Who meets somebody else's change locks the order and tries again.
      contended: 0.35,
      observe: (attempt) => checkOutage(stage, attempt, RESPONSE_MS),
    });
    const chance = random(stage.seed);
    const met = new Map<string, number>();
    const kinds = Object.entries(KINDS);
    const faults = Math.floor(stage.operations / OPERATIONS_PER_FAULT);
    for (let number = 0; number < faults && load.failure() === undefined; number += 1) {
      const [name = '', kind] = kinds[number % kinds.length] ?? [];
      const inWrite = Math.floor(number / kinds.length) % 2 === 1;
      const delay = DELAYS_MS[Math.floor(number / (2 * kinds.length)) % DELAYS_MS.length] ?? 0;
      const fault = kind ?? (() => sleep(delay));
      // Whichever server comes to it first; then the other one goes without.
      const armed = proxies.map((proxy) =>
        inWrite ? proxy.fault(1, fault, isWrite) : proxy.fault(1 + chance.below(AHEAD), fault),
      );
      await untilMet(armed, load, stage.operations - faults + number);
      for (const proxy of proxies) proxy.clear();
      for (const { statement } of armed) {
        const where = statement && `${name}${isWrite(statement) ? ' in a write' : ''}`;
        if (where !== undefined) met.set(where, (met.get(where) ?? 0) + 1);
      }
      stage.progress(`fault ${number + 1} of ${faults}, ${load.done()} operations`);
    }
    await load.settle(postgres.url);
    for (const name of Object.keys(KINDS)) {
      for (const where of [name, `${name} in a write`]) {
        const times = met.get(where) ?? 0;
        stage.figure(where, times);
        stage.holds(times > 0, 'every fault is met amid reads and amid writes', `${where}: never`);
      }
    }
  },
};

/** Goes on until one of the faults is met, so many operations are done, or clients give up. */
async function untilMet(armed: readonly InjectedFault[], load: Load, limit: number): Promise<void> {
  do await load.amidst(2);
  while (isWaiting(armed) && load.done() < limit && load.failure() === undefined);
}

function isWaiting(armed: readonly InjectedFault[]): boolean {
  return armed.every(({ statement }) => statement === undefined);
}

/** Checks the response of a server without its database: 503 or a success, in time. */
function checkOutage(stage: Stage, { request, exchanged }: Attempt, limitMs: number): void {
  const description = `${request.method} ${request.path}`;
  const said = 'broken' in exchanged ? exchanged.broken : `${exchanged.status} ${exchanged.text.slice(0, 300)}`;
  const { tookMs } = exchanged;
  stage.holds(
    tookMs < limitMs,
    `a response within ${limitMs} ms`,
    `${description}: ${said} after ${tookMs.toFixed(0)} ms`,
  );
  stage.holds(!('broken' in exchanged), 'every request has a response', `${description}: ${said}`);
  if ('broken' in exchanged || exchanged.status < 500) return;
  stage.holds(exchanged.status === 503, 'no 5xx but 503', `${description}: ${said}`);
  const code = isRecord(exchanged.body) ? exchanged.body['code'] : undefined;
  const after = exchanged.headers['retry-after'];
  stage.holds(
    code === 'unavailable' && after !== undefined,
    '503 unavailable with Retry-After',
    `${description}: ${said}`,
  );
}
