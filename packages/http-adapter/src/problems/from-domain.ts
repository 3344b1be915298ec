import type { OrderDefinition, ValidationFailed } from '@orders/domain';
import { ERROR_CODES, type ErrorCode, PROBLEMS, INVALID_REQUEST } from './catalog.ts';
import type { CodedError, Entry, ListError, MembersOf, Occurrence } from './entry.ts';
import type { Problem } from './problem.ts';

/** Returns the problem for an error of a use case. */
export function toProblem(error: CodedError): Problem {
  if (error.type === 'refused') return { ...problemOf(error.type, error), refusal: error.code };
  return problemOf(error.type, error);
}

function problemOf<Code extends CodedError['type']>(
  code: Code,
  { type: _type, ...members }: Extract<CodedError, { readonly type: Code }>,
): Problem {
  const entry: Entry<MembersOf<Code>> = PROBLEMS[code];
  return { code, ...(entry.of ? entry.of(members) : { detail: entry.detail }) };
}

/** Returns an occurrence of a problem in the example of the OpenAPI document. */
export function exampleOf(code: string, definition: OrderDefinition): Occurrence {
  const known = ERROR_CODES.find((each) => each === code);
  if (known) return exampleOfCatalog(known, definition);
  return toProblem({ type: 'refused', code, message: definition.refusals[code] ?? '' });
}

function exampleOfCatalog<Code extends ErrorCode>(code: Code, definition: OrderDefinition): Occurrence {
  const entry: Entry<MembersOf<Code>> = PROBLEMS[code];
  return entry.of ? entry.of(entry.example(definition)) : entry;
}

/** Returns the problem for an error of a list. Its input is the query, so invalid input is 400 instead of 422. */
export function toListProblem(error: ListError): Problem {
  return error.type === 'validation_failed' ? invalidParameters(error) : toProblem(error);
}

function invalidParameters({ errors }: ValidationFailed): Problem {
  const code = errors[0]?.field === 'after' ? 'invalid_cursor' : 'invalid_parameter';
  return { code, detail: INVALID_REQUEST, errors };
}
