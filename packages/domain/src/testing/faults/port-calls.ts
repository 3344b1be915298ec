import { type Result, ResultAsync } from 'neverthrow';
import type { ErasureRepository } from '../../customers/erasure-repository.ts';
import type { OwnerCheckpoints } from '../../events/checkpoints.ts';
import type { OrderDefinition } from '../../orders/definition/order-definition.ts';
import type { OrdersStore } from '../../webhooks/orders-store.ts';
import type { WebhookSender } from '../../webhooks/webhook-sender.ts';

/** Every port that has faults: those of a store, the checkpoints of consumers, and what sends webhooks. */
export interface FaultyPorts<D extends OrderDefinition = OrderDefinition> extends OrdersStore<D> {
  readonly checkpoints: OwnerCheckpoints;
  readonly sender: WebhookSender;
  /** Those of the customers. */
  readonly erasures: ErasureRepository;
}

const STORE_METHODS = ['load', 'findRecorded', 'commit', 'commitAll', 'commitLocked', 'list'] as const;

/** The methods of each port that do I/O. */
const METHODS = {
  orders: [...STORE_METHODS, 'listVersions', 'findVersion', 'findOrdersOf', 'eraseDeleted'],
  customers: [...STORE_METHODS, 'findByEmail', 'findErasing', 'repeatErasure', 'finishErasures'],
  erasures: ['load', 'findRecorded', 'commit', 'commitLocked', 'findPending', 'finish', 'keepOrder'],
  webhookEndpoints: STORE_METHODS,
  webhookQueue: ['findDue', 'fanOut', 'claim', 'settle'],
  webhookDeliveries: ['list', 'redeliver', 'resume'],
  feed: ['read', 'wait'],
  statistics: ['findRange', 'sum'],
  checkpoints: ['load', 'save', 'claim', 'saveClaimed', 'release', 'listOwners', 'findBehind', 'waitForChanges'],
  sender: ['send'],
} as const satisfies { readonly [Port in keyof FaultyPorts]: readonly (keyof FaultyPorts[Port])[] };

/** A method of a port, such as `orders.commit`. */
export type PortMethod = {
  [Port in keyof typeof METHODS]: `${Port}.${(typeof METHODS)[Port][number]}`;
}[keyof FaultyPorts];

/** The type of a method of a port. */
export type FunctionOf<Method extends PortMethod> =
  Method extends `${infer Port extends keyof FaultyPorts}.${infer Name}`
    ? Name extends keyof FaultyPorts[Port]
      ? FaultyPorts[Port][Name]
      : never
    : never;

/** A call of a port that is about to be made. */
export interface PortCall {
  readonly method: PortMethod;
  readonly args: readonly unknown[];
  /** Calls the port. May be called never, and more than once. */
  readonly proceed: (args: readonly unknown[]) => PromiseLike<unknown>;
}

/** The methods that return a promise and no result: they never fail. */
const PROMISES: readonly PortMethod[] = ['feed.wait', 'checkpoints.waitForChanges', 'sender.send'];

/** Returns whether a method returns a result, so that it can be unavailable. */
export function hasResult(method: PortMethod): boolean {
  return !PROMISES.includes(method);
}

/** Returns the methods of ports that can have faults. */
export function methodsOf(ports: object): readonly string[] {
  const present = Object.entries(METHODS).filter(([port]) => (port === 'erasures' ? 'customers' : port) in ports);
  return present.flatMap(([port, methods]) => methods.map((method) => `${port}.${method}`));
}

/** Returns ports whose calls go through `onCall`. Other members are those of `ports`. */
export function interceptPorts<P extends object>(ports: P, onCall: (call: PortCall) => Promise<unknown>): P;
export function interceptPorts(ports: object, onCall: (call: PortCall) => Promise<unknown>): object {
  const intercepted: Record<string, object> = {};
  for (const [name, methods] of Object.entries(METHODS)) {
    const port: unknown = Reflect.get(ports, name);
    if (typeof port === 'object' && port !== null) intercepted[name] = interceptPort(port, name, methods, onCall);
  }
  return { ...ports, ...intercepted };
}

function interceptPort(
  port: object,
  name: string,
  methods: readonly string[],
  onCall: (call: PortCall) => Promise<unknown>,
): object {
  return new Proxy(port, {
    get: (target, member) => {
      const found: unknown = Reflect.get(target, member);
      if (member === 'erasures' && typeof found === 'object' && found !== null)
        return interceptPort(found, member, METHODS[member], onCall);
      if (!isFunction(found)) return found;
      const proceed = (args: readonly unknown[]) => found.apply(target, [...args]);
      if (typeof member !== 'string' || !methods.includes(member)) return (...args: unknown[]) => proceed(args);
      const method = methodOf(`${name}.${member}`);
      return (...args: unknown[]) => {
        const outcome = onCall({ method, args, proceed });
        return hasResult(method) ? toResultAsync(outcome) : outcome;
      };
    },
  });
}

/** Methods of ports return promises, but for those that do no I/O. */
function isFunction(member: unknown): member is (...args: readonly unknown[]) => PromiseLike<unknown> {
  return typeof member === 'function';
}

function methodOf(text: string): PortMethod;
function methodOf(text: string): string {
  return text;
}

/** Returns a promise of a result as what methods return. */
function toResultAsync(outcome: Promise<unknown>): object {
  return new ResultAsync(resultOf(outcome));
}

function resultOf(outcome: Promise<unknown>): Promise<Result<unknown, unknown>>;
function resultOf(outcome: Promise<unknown>): unknown {
  return outcome;
}
