import type { Result, ResultAsync } from 'neverthrow';
import type { Idempotency } from '../shared/idempotency.ts';
import type { Owner } from '../shared/ids.ts';
import type { Unavailable } from '../shared/unavailable.ts';

/** An aggregate as its store has it now. */
export interface Loaded<A> {
  readonly aggregate: A;
  /**
   * What the store has beside the aggregate, such as columns of another release. The domain hands it back with the
   * write. Default: nothing.
   */
  readonly source?: unknown;
}

/** The record of the write that used an idempotency key. */
export interface Recorded<A> {
  /** Whether that write had the same fingerprint, which includes the kind of aggregate. If not, a retry is rejected. */
  readonly sameCommand: boolean;
  /** Id of the aggregate. */
  readonly id: string;
  /**
   * The aggregate after the write; `null` if it was a deletion, and when its version has been erased. May be `null` for another command, too.
   */
  readonly aggregate: A | null;
}

/** What a store has found for a write. */
export interface Found<A> {
  /** `null` for an unknown id. Not read when there is a record. */
  readonly loaded: Loaded<A> | null;
  /** `null` for an unused key, and when no key was looked up. */
  readonly recorded: Recorded<A> | null;
}

/** A write that the domain has decided. It is stored as a whole or not at all. */
export type Write<A, E> =
  | { readonly kind: 'create'; readonly after: A; readonly event: E; readonly key: Idempotency | undefined }
  | {
      readonly kind: 'change';
      readonly before: Loaded<A>;
      readonly after: A;
      readonly event: E;
      /** Kept with the version, and erased with its snapshot: unlike an event, it may be personal data. Default: none. */
      readonly reason?: string | null | undefined;
      /** Erases the personal data of all earlier versions, their reasons, and the users of their events. Default: `false`. */
      readonly erases?: boolean | undefined;
      readonly key: Idempotency | undefined;
    }
  | { readonly kind: 'delete'; readonly before: Loaded<A>; readonly event: E; readonly key: Idempotency | undefined }
  /** Only the record of a command that changes nothing, with the version of `before`. Succeeds at any later one, too. */
  | { readonly kind: 'key_only'; readonly before: Loaded<A>; readonly key: Idempotency };

/** The write of a new aggregate. */
export type CreateOf<A, E> = Extract<Write<A, E>, { readonly kind: 'create' }>;

/** A write, or `null` for none, and what it means to the domain. */
export interface Decided<A, E, R> {
  readonly write: Write<A, E> | null;
  readonly result: R;
}

/**
 * The reason for which a store rejects a write that another write or another aggregate conflicts with. `key_used` comes
 * before `refused` and `id_taken`; of several rules that are violated, the first of {@link CONFLICT_ORDER} is the reason. A
 * write that is `stale`, too, may be either.
 */
export type Conflict<A, Refused> =
  /** The version of `before` is not the current one: the aggregate has changed or was deleted. */
  | { readonly type: 'stale' }
  /** The idempotency key has a record, of any kind of aggregate. */
  | { readonly type: 'key_used'; readonly recorded: Recorded<A> }
  /** The owner has an aggregate of this kind with the id of a create, or had it before its deletion. */
  | { readonly type: 'id_taken' }
  /** A rule about several aggregates does not allow it. */
  | { readonly type: 'refused'; readonly reason: Refused };

/**
 * How a store wants writes to be attempted, which may save statements and locks. With `false` twice, each write goes to
 * {@link AggregateStore.commit} first, which finds a used key and a stale version.
 */
export interface WritePlan {
  /**
   * Whether the key is looked up before anything else, as inside a host's transaction and for a recent key. A store may
   * rely on it, so that only the lookup frees an expired key.
   */
  readonly lookUpFirst: boolean;
  /** Whether changes and deletions go to {@link AggregateStore.commitLocked} at once, as inside a host's transaction. */
  readonly lockFirst: boolean;
}

/**
 * Port: stores the aggregates of one kind. The domain decides each write, so that an adapter only stores what was
 * decided, or returns why not. Every adapter guarantees, beyond the types:
 *
 * - A write is one transaction: it stores the aggregate, the record of its version with the event, and the record of its
 *   idempotency key, or none of them.
 * - A call reads and changes only aggregates of its owner.
 * - Values are copied: a caller that changes an argument or a result does not change the store.
 * - Ids are UUIDs in lower case, in arguments and in results. The domain sees to it.
 * - A key is used for its owner by any kind of aggregate, until its record expires: `expires_at` is not after the `now`
 *   of a new write. Of concurrent writes with one key, one is stored, and the others wait for it and get `key_used`.
 * - Only the callers' bugs and its own reject a promise, and then nothing is stored; no method throws synchronously.
 */
export interface AggregateStore<A, E, Refused> {
  /** Returns the aggregate with its current version; `null` if the owner has none with this id. */
  load(owner: Owner, id: string): ResultAsync<Loaded<A> | null, Unavailable>;

  /** Returns the record of a key, also that of another command; `null` when the key is unused or has expired. */
  findRecorded(owner: Owner, key: Idempotency): ResultAsync<Recorded<A> | null, Unavailable>;

  /** Returns how to attempt a write. Called before each write, and does no I/O. */
  plan(key: Idempotency | undefined): WritePlan;

  /**
   * Stores a write, or nothing. The record of its key refers to the version of its event, or to that of `before` for
   * `key_only`. A conflict whose reason is gone when it is looked up is no conflict. An adapter that can meet one tries
   * again, with random waits, for as long as a statement may run, and then returns `unavailable`.
   */
  commit(owner: Owner, write: Write<A, E>): ResultAsync<null, Conflict<A, Refused> | Unavailable>;

  /**
   * Stores those of several creates that do not conflict. Returns for each, in their order, what {@link commit} would return if
   * one were committed after the other, or `null` for one that it leaves to the caller, who commits it alone. Its effort for
   * each does not depend on what they conflict with. If `isWhole`, stores all of them or none. Default: leaves all of them.
   */
  commitAll?(
    owner: Owner,
    creates: readonly CreateOf<A, E>[],
    isWhole: boolean,
  ): ResultAsync<readonly (Result<null, Conflict<A, Refused>> | null)[], Unavailable>;

  /**
   * Locks the aggregate, looks up the key if `lookUp` is given, and loads the aggregate unless it has found a record. Then
   * it stores what `decide` returns, all in one transaction, and returns the result of that decision. `decide` is called
   * without an aggregate, too, and may run again after a rollback. It returns a write of what it was given, which is never
   * `stale` or `id_taken`, and otherwise conflicts as in {@link commit}. When
   * `decide` throws, nothing is stored, and the promise rejects with what was thrown.
   */
  commitLocked<R>(
    owner: Owner,
    id: string,
    lookUp: Idempotency | undefined,
    decide: (found: Found<A>) => Decided<A, E, R>,
  ): ResultAsync<R, Conflict<A, Refused> | Unavailable>;
}
