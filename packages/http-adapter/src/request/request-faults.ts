import { type InvalidCode, type InvalidField, INVALID_FIELDS_MAX, type ValidationFailed } from '@orders/domain';
import type { FastifyRequest } from 'fastify';
import { err, ok, type Result } from 'neverthrow';
import type { ErrorCode } from '../problems/catalog.ts';
import type { Problem } from '../problems/problem.ts';
import { namesVersion, responseTypeOf } from '../request-state.ts';
import { VERSION } from './api-version.ts';
import { isVersionedType } from './media-types.ts';

/** Gathers everything wrong with a request's path, query and headers, so that one response names all of it. */
export class RequestFaults {
  readonly #codes: ErrorCode[] = [];
  readonly #errors: InvalidField[] = [];

  /** Starts with the faults of `request` that do not depend on its operation. */
  static of(request: FastifyRequest): RequestFaults {
    const faults = new RequestFaults();
    const version = apiVersionFault(request);
    if (version) faults.add(version.code, 'API-Version', 'invalid_value', version.message);
    return faults;
  }

  /** Adds a fault of `field`, the name of a parameter or header. */
  add(problem: ErrorCode, field: string, code: InvalidCode, message: string): undefined {
    this.#codes.push(problem);
    if (this.#errors.length < INVALID_FIELDS_MAX) this.#errors.push({ field, message, code });
  }

  /**
   * Returns `value`, unless something is wrong. Several kinds of faults go under the first one's code. The use case parses
   * the value; `parse` does the same, and is called only to add its errors to faults that keep the use case from running.
   */
  settle<T>(value: T, parse?: () => Result<unknown, ValidationFailed>): Result<T, Problem> {
    if (this.#codes.length === 0) return ok(value);
    const parsed = parse?.();
    if (parsed?.isErr()) this.#addInvalid(parsed.error);
    const [code = 'invalid_parameter'] = this.#codes;
    return err({ code, detail: 'One or more parameters or headers are invalid. See `errors`.', errors: this.#errors });
  }

  /** Adds the errors that the domain found in a query, except of fields with a fault already. */
  #addInvalid({ errors }: ValidationFailed): void {
    for (const { field, code, message } of errors) {
      if (this.#errors.some((known) => known.field === field)) continue;
      this.add(field === 'after' ? 'invalid_cursor' : 'invalid_parameter', field, code, message);
    }
  }
}

/** Checks `API-Version`; returns a fault for a nonexistent version, or another one than the path or `Accept` names. */
function apiVersionFault(
  request: FastifyRequest,
): { readonly code: 'conflicting_parameters' | 'invalid_header'; readonly message: string } | undefined {
  const version = request.headers['api-version'];
  if (version === undefined || version === VERSION) return undefined;
  if (!namesVersion(request) && !isVersionedType(responseTypeOf(request))) {
    return { code: 'invalid_header', message: `must be ${VERSION}` };
  }
  const message = `must be ${VERSION}, the version in the path or Accept`;
  return { code: 'conflicting_parameters', message };
}
