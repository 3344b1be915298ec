import type { LifecycleTable, ReservedName } from './order-definition.ts';

/** A type that no value has. The compiler shows its message. */
export interface Fault<Message extends string> {
  readonly fault: Message;
}

/** The type that a lifecycle has to have besides its own. A table whose names are not known has any. */
export type LifecycleWithoutFaults<Lifecycle extends LifecycleTable, Initial> = string extends keyof Lifecycle
  ? unknown
  : keyof Lifecycle extends never
    ? Fault<'a lifecycle needs a status'>
    : number extends Lifecycle[keyof Lifecycle]['length']
      ? Fault<'write the lifecycle as a literal, or "as const" after it'>
      : [TerminalIn<Lifecycle> | UnknownIn<Lifecycle>] extends [never]
        ? Fault<'a lifecycle needs a terminal status, which leads to none'>
        : { readonly [Status in keyof Lifecycle]: RowWithoutFaults<Lifecycle, Status, Reachable<Lifecycle, Initial>> };

type RowWithoutFaults<
  Lifecycle extends LifecycleTable,
  Status extends keyof Lifecycle,
  Reached,
> = Status extends ReservedName
  ? Fault<`the name ${Status} is reserved`>
  : IsName<Status> extends false
    ? Fault<'the name of a status is 1 to 30 of a-z, 0-9 and _, the first one a letter'>
    : Status extends Reached
      ? HasDuplicate<Lifecycle[Status]> extends true
        ? Fault<'a status leads to another one at most once'>
        : FaultOfTargets<Lifecycle, Status> & readonly Exclude<keyof Lifecycle, Status>[]
      : Fault<'no transitions lead from the initial status to this one'>;

/** The array of all statuses beside it lets editors complete targets. */
type FaultOfTargets<Lifecycle extends LifecycleTable, Status extends keyof Lifecycle> =
  Exclude<Lifecycle[Status][number], keyof Lifecycle> extends infer Unknown extends string
    ? [Unknown] extends [never]
      ? Status extends Lifecycle[Status][number]
        ? Fault<'a status does not lead to itself'>
        : unknown
      : Fault<`${Unknown} is no status of this definition`>
    : never;

/** The type that the cancel status has to have: a status that a transition leads to. */
export type CancelWithoutFaults<Lifecycle extends LifecycleTable, Initial, Cancel> = string extends keyof Lifecycle
  ? unknown
  : [Exclude<keyof Lifecycle, Initial>] extends [never]
    ? keyof Lifecycle
    : [Cancel] extends [Initial]
      ? Fault<'a lifecycle of several statuses has another cancel than initial status'>
      : Exclude<keyof Lifecycle, Initial>;

/** The type that custom data has to have besides its own. */
export type CustomWithoutFaults<Custom> = [NotJson<Custom>] extends [never]
  ? unknown
  : Fault<'custom data must be JSON: text, numbers, booleans, null, arrays and objects'>;

/** The targets that are no status, for which a status may seem to lead on. */
type UnknownIn<Lifecycle extends LifecycleTable> = Exclude<Lifecycle[keyof Lifecycle][number], keyof Lifecycle>;

type TerminalIn<Lifecycle extends LifecycleTable> = {
  [Status in keyof Lifecycle]: Lifecycle[Status] extends readonly [] ? Status : never;
}[keyof Lifecycle];

/** The statuses that transitions lead to from `Reached`, and those themselves. */
type Reachable<Lifecycle extends LifecycleTable, Reached> = [Next<Lifecycle, Reached>] extends [Reached]
  ? Reached
  : Reachable<Lifecycle, Reached | Next<Lifecycle, Reached>>;

type Next<Lifecycle extends LifecycleTable, Status> = Lifecycle[Extract<Status, keyof Lifecycle>][number];

type HasDuplicate<Targets extends readonly unknown[]> = Targets extends readonly [infer First, ...infer Rest]
  ? First extends Rest[number]
    ? true
    : HasDuplicate<Rest>
  : false;

type Letter =
  // prettier-ignore
  | 'a' | 'b' | 'c' | 'd' | 'e' | 'f' | 'g' | 'h' | 'i' | 'j' | 'k' | 'l' | 'm'
  | 'n' | 'o' | 'p' | 'q' | 'r' | 's' | 't' | 'u' | 'v' | 'w' | 'x' | 'y' | 'z';

type NameCharacter = Letter | '0' | '1' | '2' | '3' | '4' | '5' | '6' | '7' | '8' | '9' | '_';

type IsName<Name> = Name extends `${Letter}${infer Rest}` ? HasOnlyNameCharacters<Rest, []> : false;

/** Reads at most the 29 characters that a name may have after the first one; `Read` has an element for each. */
type HasOnlyNameCharacters<Text extends string, Read extends readonly unknown[]> = Text extends ''
  ? true
  : Read['length'] extends 29
    ? false
    : Text extends `${NameCharacter}${infer Rest}`
      ? HasOnlyNameCharacters<Rest, [...Read, 0]>
      : false;

/** The parts of a type that JSON cannot represent. */
type NotJson<Value> = unknown extends Value
  ? never
  : Value extends string | number | boolean | null | undefined
    ? never
    : Value extends readonly (infer Element)[]
      ? NotJson<Element>
      : Value extends bigint | symbol | ((...parameters: never) => unknown)
        ? Value
        : { [Key in keyof Value]-?: NotJson<Value[Key]> }[keyof Value];
