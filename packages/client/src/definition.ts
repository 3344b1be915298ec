import type { Result } from 'neverthrow';
import type { components } from './generated/api.ts';

type Status = components['schemas']['OrderStatus'];
/** The types of events that the orders of every definition have. */
type CommonEventType = Exclude<
  Extract<components['schemas']['KnownEventType'], `order.${string}`>,
  `order.${EnteredStatusOf<DefaultDefinition>}`
>;

/**
 * What the types of the client take from a definition of orders, such as one that `defineOrders` of `@orders/domain`
 * makes. Only its type is needed.
 */
export interface Definition {
  /** The statuses that each status may lead to. */
  readonly lifecycle: Readonly<Record<string, readonly string[]>>;
  readonly initial: string;
  readonly cancel: string;
  /** `null` for orders without custom data. */
  readonly custom: {
    readonly parse: (input: never) => Result<unknown, unknown>;
    readonly required?: boolean | undefined;
    readonly types?: { readonly input: unknown } | undefined;
  } | null;
  /** The codes of the refusals of its guards. */
  readonly refusals: Readonly<Record<string, string>>;
}

/** The definition of the orders of a server that has none of its own. */
export interface DefaultDefinition {
  readonly lifecycle: Readonly<Record<Status, readonly Status[]>>;
  readonly initial: 'pending';
  readonly cancel: 'cancelled';
  readonly custom: null;
  readonly refusals: Record<never, string>;
}

/** A status of a definition. */
export type StatusOf<D extends Definition> = Extract<keyof D['lifecycle'], string>;

/** A status that has a time and an event of its own: any but the initial one. */
export type EnteredStatusOf<D extends Definition> = Exclude<StatusOf<D>, D['initial']>;

/** Type of an event of an order. */
export type OrderEventTypeOf<D extends Definition> =
  | CommonEventType
  | `order.${string extends StatusOf<D> ? string : EnteredStatusOf<D>}`;

/** The custom data of orders. */
export type CustomOf<D extends Definition> = D['custom'] extends {
  readonly parse: (input: never) => Result<infer Custom, unknown>;
}
  ? Custom
  : never;

/** What callers pass as custom data: without the defaults that the parser adds. */
export type CustomInputOf<D extends Definition> = D['custom'] extends {
  readonly types?: { readonly input: infer Input } | undefined;
}
  ? unknown extends Input
    ? CustomOf<D>
    : Input
  : CustomOf<D>;

/** `true` if orders must have custom data. */
export type IsCustomRequired<D extends Definition> = D['custom'] extends { readonly required?: infer Required }
  ? [Exclude<Required, undefined>] extends [true]
    ? true
    : false
  : false;

/** Code of a refusal by the guards of a definition. */
export type RefusalOf<D extends Definition> = Extract<keyof D['refusals'], string>;

/** A merge patch (RFC 7396) of JSON data. */
export type MergePatch<T> = T extends readonly unknown[]
  ? T
  : T extends object
    ? { readonly [Key in keyof T]?: MergePatch<T[Key]> | null | undefined }
    : T;

/** `Members` for a definition with custom data, otherwise no members. */
export type WithCustom<D extends Definition, Members> = [D['custom']] extends [null] ? unknown : Members;
