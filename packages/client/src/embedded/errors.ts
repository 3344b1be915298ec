import { type Domain, invalidFieldsOf, type OrderDefinition } from '@orders/domain';
import type { ReadFeedError } from '@orders/domain/events';
import type { Webhooks } from '@orders/domain/webhooks';
import type { ResultAsync } from 'neverthrow';
import { uncheckedCast } from '../calls/unchecked-cast.ts';
import { numberCursors } from './pages.ts';

/** The cursors of the feed. */
export const EVENT_CURSORS = numberCursors('events');

type UseCases = Domain<OrderDefinition> & Webhooks<OrderDefinition>;

/** Every error of the use cases. */
export type DomainError =
  | {
      [Each in keyof UseCases]: UseCases[Each] extends (...input: never) => ResultAsync<unknown, infer E> ? E : never;
    }[keyof UseCases]
  | ReadFeedError;

type Of<Type extends DomainError['type']> = Extract<DomainError, { readonly type: Type }>;

/** An error of the client. */
export interface AnyError {
  readonly type: string;
}

/** The errors of the domain that an operation of the client has, by those of the operation, which calls one differently. */
export type DomainErrorOf<E extends AnyError> = Extract<
  DomainError,
  { readonly type: Exclude<E['type'], 'unreachable'> | ('unreachable' extends E['type'] ? 'unavailable' : never) }
>;

const unreachable = ({ cause }: { readonly cause: unknown }) =>
  ({ type: 'unreachable', reason: 'unavailable', status: null, cause }) as const;

/** The errors that differ between the domain and the client. The others keep only their type. */
const ERRORS: { readonly [Type in DomainError['type']]?: (error: Of<Type>) => object } = {
  validation_failed: ({ errors }) => ({ errors }),
  currency_mismatch: (error) => ({ errors: invalidFieldsOf(error) }),
  amount_out_of_range: (error) => ({ errors: invalidFieldsOf(error) }),
  precondition_failed: (error) => error,
  refused: (error) => error,
  order_already_cancelled: (error) => error,
  fulfillment_already_cancelled: (error) => error,
  quantity_not_available: (error) => error,
  invalid_status_transition: ({ current_status, available_transitions }) => ({ current_status, available_transitions }),
  id_taken: ({ id }) => ({ order_id: id }),
  reference_taken: (error) => ({ ...error, errors: invalidFieldsOf(error) }),
  email_taken: (error) => ({ ...error, errors: invalidFieldsOf(error) }),
  events_expired: ({ oldest }) => ({
    oldest_cursor: EVENT_CURSORS.encode({ value: oldest.position, id: oldest.event }),
  }),
  unavailable: unreachable,
  internal_error: unreachable,
};

/** Returns an error as the client has it. A write adds its key when its outcome is unknown. */
export function toClientError<E extends AnyError>(error: DomainError, idempotencyKey?: string): E {
  const isOpen = (error.type === 'unavailable' || error.type === 'internal_error') && idempotencyKey !== undefined;
  return uncheckedCast({
    type: error.type,
    ...membersOf(error),
    ...(isOpen && { outcome: 'unknown', idempotencyKey }),
  });
}

function membersOf<Type extends DomainError['type']>(error: Of<Type> & { readonly type: Type }): object {
  return ERRORS[error.type]?.(error) ?? {};
}
