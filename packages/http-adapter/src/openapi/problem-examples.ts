import { ERROR_CATALOG, ERROR_CODES, type ErrorCode } from '../problems/catalog.ts';
import { problemType } from '../problems/problem.ts';

const REQUEST_ID = '6f1c7a52-6a1e-4d0c-9f0e-1d2c3b4a5f60';

/** What problems have beside the members that all have, and what they say of this occurrence. */
const OCCURRENCES: Partial<Readonly<Record<ErrorCode, Readonly<Record<string, unknown>>>>> = {
  invalid_parameter: errors('limit', 'must be between 1 and 100', 'out_of_range'),
  unknown_parameter: errors('page', 'is not a parameter here', 'unknown_field'),
  conflicting_parameters: errors('offset', 'cannot be combined with after', 'invalid_value'),
  invalid_cursor: errors('after', 'is not a cursor of this list and query', 'invalid_value'),
  invalid_header: errors('If-Match', 'must be * or a list of entity tags in quotes', 'invalid_format'),
  invalid_idempotency_key: errors(
    'Idempotency-Key',
    'must be 1 to 255 visible ASCII characters, bare or in quotes',
    'invalid_format',
  ),
  insufficient_scope: { required_scope: 'orders:write' },
  order_already_cancelled: { cancelled_at: '2026-01-03T08:00:00.000Z', current_version: 2 },
  invalid_status_transition: { current_status: 'pending', available_transitions: ['paid', 'cancelled'] },
  email_taken: {
    ...errors('email', 'is taken', 'taken'),
    customer_id: '019b2a4e-8f00-7000-8000-0000000000c1',
  },
  reference_taken: {
    ...errors('reference', 'is taken', 'taken'),
    order_id: '019b2a4e-8f00-7000-8000-000000000001',
  },
  precondition_failed: { current_version: 3 },
  validation_failed: errors('items[0].quantity', 'must be between 1 and 1000000', 'out_of_range'),
  currency_mismatch: errors('items[1].unit_price.currency', 'must be EUR', 'invalid_value'),
  amount_out_of_range: errors('items[0]', 'has a total above 9007199254740991', 'out_of_range'),
};

/** Every problem once, as components of the document. */
export const PROBLEM_EXAMPLES: Readonly<Record<string, unknown>> = Object.fromEntries(
  ERROR_CODES.map((code) => [
    code,
    {
      summary: ERROR_CATALOG[code].title,
      value: {
        type: problemType(code, () => 'https://api.example.com'),
        title: ERROR_CATALOG[code].title,
        status: ERROR_CATALOG[code].status,
        detail: 'What went wrong with this request, in a sentence.',
        instance: `urn:orders:request:${REQUEST_ID}`,
        code,
        request_id: REQUEST_ID,
        ...OCCURRENCES[code],
      },
    },
  ]),
);

function errors(field: string, message: string, code: string) {
  return { errors: [{ field, message, code }] };
}
