/** One invalid field. */
export interface InvalidField {
  readonly field: string;
  readonly message: string;
  readonly code: string;
}

const PROBLEMS = {
  unauthenticated: [401, 'Valid credentials are required'],
  order_not_found: [404, 'Order not found'],
  order_already_cancelled: [409, 'The order is already cancelled'],
  validation_failed: [422, 'The body is invalid'],
  idempotency_key_reused: [422, 'The idempotency key was used for another request'],
  internal_error: [500, 'Internal server error'],
} as const;

export type ProblemCode = keyof typeof PROBLEMS;

/** The reason for which a request is rejected. The error handler converts it to problem details. */
export class Rejection extends Error {
  readonly status: number;
  readonly title: string;
  readonly code: ProblemCode;
  readonly extra: Readonly<Record<string, unknown>>;

  constructor(code: ProblemCode, extra: Readonly<Record<string, unknown>> = {}) {
    const [status, title] = PROBLEMS[code];
    super(title);
    this.status = status;
    this.title = title;
    this.code = code;
    this.extra = extra;
  }
}

export const PROBLEM_TYPE = 'application/problem+json';

/** Returns problem details (RFC 9457). */
export function problemBody({ status, title, code, extra }: Rejection, requestId: string) {
  return {
    type: `https://api.example.com/problems/${code.replaceAll('_', '-')}`,
    title,
    status,
    detail: title,
    instance: `urn:orders:request:${requestId}`,
    code,
    request_id: requestId,
    ...extra,
  };
}
