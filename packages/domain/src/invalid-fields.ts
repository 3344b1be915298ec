import type { EmailTaken } from './customers/customer-errors.ts';
import type { AmountOutOfRange, CurrencyMismatch, ReferenceTaken } from './orders/order-errors.ts';
import type { InvalidField } from './shared/validation.ts';

/** Returns the invalid field of the input that an error is about, as a list. */
export function invalidFieldsOf(
  error: AmountOutOfRange | CurrencyMismatch | EmailTaken | ReferenceTaken,
): readonly InvalidField[] {
  switch (error.type) {
    case 'currency_mismatch':
      return [{ field: error.field, message: `must be ${error.currency}`, code: 'invalid_value' }];
    case 'amount_out_of_range': {
      const message = `must have a total of at most ${Number.MAX_SAFE_INTEGER}`;
      return [{ field: error.field, message, code: 'out_of_range' }];
    }
    case 'reference_taken':
      return [{ field: 'reference', message: 'is taken', code: 'taken' }];
    case 'email_taken':
      return [{ field: 'email', message: 'is taken', code: 'taken' }];
  }
}
