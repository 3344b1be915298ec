import { isUuid, ORDER_SORTS, ORDER_STATUSES, type OrderQueryInput, REFERENCE_LENGTH_MAX } from '@orders/domain';
import type { RequestFaults } from '../conventions/request-faults.ts';

/** Which orders a list shows, and in what order. */
export type OrderChoice = Pick<OrderQueryInput, 'sort' | 'status' | 'customer_id' | 'reference'>;

/** Reads the choice, refusing what the domain would: here it is named together with every other fault of a request. */
export function readOrderChoice(
  { sort, status, customer_id, reference }: Readonly<Record<keyof OrderChoice, string | undefined>>,
  faults: RequestFaults,
): OrderChoice {
  if (sort !== undefined && !isOneOf(ORDER_SORTS, sort)) {
    faults.add('invalid_parameter', 'sort', 'invalid_value', `must be one of ${ORDER_SORTS.join(', ')}`);
  }
  const statuses = status?.split(',');
  if (statuses?.some((name) => !isOneOf(ORDER_STATUSES, name))) {
    faults.add(
      'invalid_parameter',
      'status',
      'invalid_value',
      `must be one or several of ${ORDER_STATUSES.join(', ')}`,
    );
  }
  if (customer_id !== undefined && !isUuid(customer_id)) {
    faults.add('invalid_parameter', 'customer_id', 'invalid_format', 'must be a UUID');
  }
  if (reference !== undefined) refuseReference(reference, faults);
  // A set: neither the order nor the repetition of statuses makes another list.
  const set = statuses && ORDER_STATUSES.filter((known) => statuses.includes(known));
  return { sort, status: set, customer_id: customer_id?.toLowerCase(), reference };
}

function refuseReference(reference: string, faults: RequestFaults): void {
  if (Array.from(reference).length > REFERENCE_LENGTH_MAX) {
    const rule = `must have at most ${REFERENCE_LENGTH_MAX} characters`;
    faults.add('invalid_parameter', 'reference', 'too_long', rule);
  } else if (reference.includes('\0')) {
    faults.add('invalid_parameter', 'reference', 'invalid_value', 'must not contain U+0000');
  }
}

function isOneOf(known: readonly string[], value: string): boolean {
  return known.includes(value);
}
