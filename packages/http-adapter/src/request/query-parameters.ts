import type { FastifyRequest } from 'fastify';
import type { RequestFaults } from './request-faults.ts';

/** The query as text by name. Unknown, repeated and empty parameters are faults. */
export function readQuery<Name extends string>(
  request: FastifyRequest,
  known: readonly Name[],
  faults: RequestFaults,
): Partial<Record<Name, string>> {
  const found: Partial<Record<Name, string>> = {};
  const sent = isRecord(request.query) ? Object.entries(request.query) : [];
  for (const [name, value] of sent) {
    const parameter = known.find((candidate) => candidate === name);
    if (parameter === undefined)
      faults.add('unknown_parameter', name, 'unknown_field', 'is not a parameter of this operation');
    else if (typeof value !== 'string')
      faults.add('invalid_parameter', name, 'invalid_value', 'must be sent only once');
    else if (value === '') faults.add('invalid_parameter', name, 'too_short', 'must not be empty');
    else found[parameter] = value;
  }
  return found;
}

/** What Fastify parsed of a query or path, whatever it was. */
export function isRecord(input: unknown): input is Readonly<Record<string, unknown>> {
  return typeof input === 'object' && input !== null;
}

/** A whole number without sign, fraction or leading zeros; its range is judged by the domain. */
export function readInteger(value: string | undefined, name: string, faults: RequestFaults): number | undefined {
  if (value === undefined) return undefined;
  if (/^(0|[1-9][0-9]*)$/.test(value)) return Number(value);
  return faults.add(
    'invalid_parameter',
    name,
    'invalid_format',
    'must be an integer of decimal digits without leading zeros',
  );
}
