import {
  EXTERNAL_USER_ID_RULE,
  type InvalidCode,
  type InvalidField,
  INVALID_FIELDS_MAX,
  isExternalUserId,
  type ValidationFailed,
} from '@orders/domain';
import type { FastifyRequest } from 'fastify';
import { err, ok, type Result } from 'neverthrow';
import { type ErrorCode, INVALID_REQUEST } from '../problems/catalog.ts';
import type { Problem } from '../problems/problem.ts';
import { routeOf, stateOf } from '../request-state.ts';
import { VERSION } from './api-version.ts';
import { isVersionedType } from './media-types.ts';

/** The header with the client's own id of the user for whom it makes a change. Reads ignore a valid one. */
export const EXTERNAL_USER_ID_HEADER = 'Orders-External-User-Id';

/** Returns the value of the header, which may be invalid. */
export function externalUserIdOf({ headers }: FastifyRequest): string | undefined {
  return headers['orders-external-user-id']?.toString();
}

/** Collects all faults of path, query and headers of a request, so that one response reports all of them. */
export class RequestFaults {
  readonly #codes: ErrorCode[] = [];
  readonly #errors: InvalidField[] = [];

  /** Creates the collection with the faults of `request` that do not depend on the input of its operation. */
  static of(request: FastifyRequest): RequestFaults {
    const faults = new RequestFaults();
    const version = apiVersionFault(request);
    if (version) faults.add(version.code, 'API-Version', 'invalid_value', version.message);
    if (request.headers['idempotency-key'] !== undefined && routeOf(request).rejectsKeys === true)
      faults.add('invalid_header', 'Idempotency-Key', 'unknown_field', 'is not supported by this operation');
    const externalUserId = externalUserIdOf(request);
    if (externalUserId !== undefined && !isExternalUserId(externalUserId))
      faults.add('invalid_header', EXTERNAL_USER_ID_HEADER, 'invalid_format', EXTERNAL_USER_ID_RULE);
    return faults;
  }

  /** Adds a fault of `field`, the name of a parameter or header. */
  add(problem: ErrorCode, field: string, code: InvalidCode, message: string): undefined {
    this.#codes.push(problem);
    if (this.#errors.length < INVALID_FIELDS_MAX) this.#errors.push({ field, message, code });
  }

  /**
   * Returns `value`, or the problem if any fault was found. The code of the problem is that of the first fault. Usually the
   * use case parses `value`. If other faults prevent that, `parse` does the same, so that its errors are reported, too.
   */
  toResult<T>(value: T, parse?: () => Result<unknown, ValidationFailed>): Result<T, Problem> {
    if (this.#codes.length === 0) return ok(value);
    const parsed = parse?.();
    if (parsed?.isErr()) this.#addInvalid(parsed.error);
    const [code = 'invalid_parameter'] = this.#codes;
    return err({ code, detail: INVALID_REQUEST, errors: this.#errors });
  }

  /** Adds the errors that the domain found in a query, except for fields that already have a fault. */
  #addInvalid({ errors }: ValidationFailed): void {
    for (const { field, code, message } of errors) {
      if (this.#errors.some((known) => known.field === field)) continue;
      this.add(field === 'after' ? 'invalid_cursor' : 'invalid_parameter', field, code, message);
    }
  }
}

/** Returns the fault of an `API-Version` that does not exist, or differs from the version in the path or `Accept`. */
function apiVersionFault(
  request: FastifyRequest,
): { readonly code: 'conflicting_parameters' | 'invalid_header'; readonly message: string } | undefined {
  const version = request.headers['api-version'];
  if (version === undefined || version === VERSION) return undefined;
  if (routeOf(request).namesVersion !== true && !isVersionedType(stateOf(request).responseType)) {
    return { code: 'invalid_header', message: `must be ${VERSION}` };
  }
  const message = `must be ${VERSION}, the version in the path or Accept`;
  return { code: 'conflicting_parameters', message };
}
