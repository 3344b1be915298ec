import fc from 'fast-check';
import { carries, type FuzzRequest, written } from './fuzz-requests.ts';
import type { Body, Operation, Parameter } from './operations.ts';
import { type Known, validNamed, validValues } from './valid-values.ts';

/** Returns the paths of the servers in the document. */
export type Servers = readonly string[];

/** Generates requests that the document allows. */
export function validRequests(operation: Operation, servers: Servers, known: Known): fc.Arbitrary<FuzzRequest> {
  const { parameters, body, responseTypes } = operation;
  const values = parameters.map((parameter) => [parameter.name, sometimes(parameter, known)] as const);
  return fc.record({
    operation: fc.constant(operation),
    server: fc.constantFrom(...servers),
    parameters: fc.record(Object.fromEntries(values)),
    repeats: fc.boolean(),
    surplus: fc.constant(''),
    body: body ? bodies(body, known) : fc.constant(undefined),
    accept: fc.constantFrom(undefined, ...responseTypes),
  });
}

/** Generates values of a parameter that can be sent. */
export function validParameters({ name, schema, place }: Parameter, known: Known): fc.Arbitrary<unknown> {
  return validNamed(name, schema, known).filter((value) => carries(place, written(value)));
}

function sometimes(parameter: Parameter, known: Known): fc.Arbitrary<unknown> {
  const values = validParameters(parameter, known);
  const absent = fc.constant(undefined);
  return parameter.required ? values : fc.oneof({ weight: 3, arbitrary: absent }, { weight: 1, arbitrary: values });
}

function bodies({ types, schema, required, examples }: Body, known: Known): fc.Arbitrary<FuzzRequest['body']> {
  const values = fc.oneof(
    { weight: 4, arbitrary: validValues(schema, known) },
    { weight: 1, arbitrary: fc.constantFrom(...examples) },
  );
  const body = fc.record({ type: fc.constantFrom(...types), value: values });
  return required ? body : fc.option(body, { nil: undefined });
}
