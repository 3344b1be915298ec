import type { ChangeOrderError, PlaceOrderError } from '@orders/domain';

/** An error as a sentence for the operator of the import. The compiler checks that none is missing. */
export function explain(error: PlaceOrderError | ChangeOrderError): string {
  switch (error.type) {
    case 'validation_failed':
      return error.errors.map(({ field, message }) => `${field} ${message}`).join('; ');
    case 'currency_mismatch':
      return `${error.field} is not in ${error.currency} like the first item`;
    case 'amount_out_of_range':
      return `${error.field} comes to too large an amount`;
    case 'reference_taken':
      return `the reference belongs to order ${error.order_id}`;
    case 'idempotency_key_reused':
      return 'the receipt number was used for another sale';
    case 'order_not_found':
      return `there is no order ${error.id}`;
    case 'version_mismatch':
      return `the order is at version ${error.current_version} meanwhile`;
    case 'order_already_cancelled':
      return 'the order is cancelled already';
    case 'invalid_status_transition':
      return `an order that is ${error.current_status} cannot become ${error.requested_status}`;
    case 'order_not_modifiable':
      return `${error.fields.join(', ')} can no longer change`;
    case 'unavailable':
      return 'the store is unavailable; run the import again, nothing is counted twice';
  }
}
