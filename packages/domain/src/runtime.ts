import { createDomain as createDomainOf } from './create-domain.ts';
import type { Domain } from './domain.ts';
import type { OrderDefinition } from './orders/definition/order-definition.ts';
import type { DefinitionBeside } from './bind-ports.ts';
import type { DefinedPorts, Ports } from './ports.ts';
import type { Clock } from './shared/clock.ts';
import type { IdSource } from './shared/ids.ts';

export {
  assertResult,
  type CountedWrites,
  countWrites,
  type ErrOf,
  handled,
  INSIDE_TRANSACTION,
  isResult,
  type OkOf,
  type Work,
} from './handled-failures.ts';

/** The random numbers of the Web Cryptography API, which Node.js, Bun, Deno and browsers have. */
declare const crypto: { getRandomValues(bytes: Uint8Array): Uint8Array };

/** The clock of the machine. */
export const systemClock: Clock = Object.freeze({ now: () => new Date() }); // oxlint-disable-line no-restricted-globals

/** The number of values of the counter, which has 12 bits. */
const COUNTS = 0x10_00;

/** The number of random bytes of an id, and of the ids that one call gets: a call takes longer than all else of an id. */
const [RANDOM_BYTES, IDS] = [10, 256];

/** The hexadecimal text of each byte. */
const HEX = Array.from({ length: 256 }, (_, byte) => hex(byte, 2));

/**
 * Returns a source of UUIDv7 (RFC 9562 section 5.7) for every runtime with Web Cryptography: Node.js 22, Bun, Deno,
 * browsers. Ids of one source increase strictly, also when the clock stands still or runs backwards.
 *
 * @param clock the source of the time in the ids; default: {@link systemClock}
 */
export function uuidv7Ids(clock: Clock = systemClock): IdSource {
  let time = 0;
  let count = 0;
  const pool = new Uint8Array(RANDOM_BYTES * IDS);
  let used = pool.length;
  return {
    next: () => {
      if (used === pool.length) {
        crypto.getRandomValues(pool);
        used = 0;
      }
      const random = pool.subarray(used, (used += RANDOM_BYTES));
      const now = clock.now().getTime();
      // A counter of a fixed length (section 6.2, method 1). It begins in its lower half, so that it rarely overflows.
      count = now > time ? (byteAt(random, 8) << 3) | (byteAt(random, 9) & 7) : count + 1;
      time = Math.max(time, now) + (count === COUNTS ? 1 : 0);
      count %= COUNTS;
      random[0] = (byteAt(random, 0) & 0x3f) | 0x80;
      let tail = '';
      for (let index = 0; index < 8; index += 1) tail += HEX[byteAt(random, index)] ?? '';
      const text = `${hex(time, 12)}7${hex(count, 3)}${tail}`;
      return `${text.slice(0, 8)}-${text.slice(8, 12)}-${text.slice(12, 16)}-${text.slice(16, 20)}-${text.slice(20)}`;
    },
  };
}

/** A store, with what replaces the clock of the machine and its ids. */
type Store<P> = Omit<P, 'clock' | 'ids'> & { readonly clock?: Clock | undefined; readonly ids?: IdSource | undefined };

/**
 * Does what `createDomain` of `@orders/domain` does, for programs: the default clock is {@link systemClock}, and the
 * default ids are those of {@link uuidv7Ids}. A store, in memory or in PostgreSQL, is all that it needs:
 * `createDomain(inMemoryStore())`.
 *
 * @throws {TypeError} a port is missing, or was created for another definition; the message names it
 */
export function createDomain<
  D extends OrderDefinition,
  P extends { readonly orders: object } = Store<Ports<D>>,
  Given extends OrderDefinition = D,
>(store: P & Store<Ports<D>>, ...definition: DefinitionBeside<P['orders'], D, Given>): Domain<D>;
export function createDomain(store: Store<object>, definition?: OrderDefinition): unknown {
  const ports = withDefaults(store);
  return definition ? createDomainOf(ports, definition) : createDomainOf(ports);
}

/** Returns the ports of a store. That of another definition than the default one is checked where it is bound. */
function withDefaults(store: Store<object>): DefinedPorts;
function withDefaults({ clock = systemClock, ids = uuidv7Ids(clock), ...store }: Store<object>): unknown {
  return { ...store, clock, ids };
}

function byteAt(bytes: Uint8Array, index: number): number {
  return bytes[index] ?? 0;
}

function hex(value: number, digits: number): string {
  return value.toString(16).padStart(digits, '0');
}
