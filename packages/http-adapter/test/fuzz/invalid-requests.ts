import fc from 'fast-check';
import { carries, type FuzzRequest, written } from './fuzz-requests.ts';
import { numbersBeyond, waysToBreak } from './invalid-values.ts';
import type { Operation, Parameter } from './operations.ts';
import { invalidTexts } from './texts.ts';
import { type Servers, validParameters, validRequests } from './valid-requests.ts';
import { elements, type Known, repeated } from './valid-values.ts';

/** A request that is valid but for one part. */
interface BrokenRequest {
  readonly request: FuzzRequest;
  /** The field that a problem is to name. */
  readonly field: string;
}

/** A way to break a request at exactly one place. */
export interface RequestWay {
  readonly name: string;
  /** The parameter whose schema is broken, or `body`; `undefined` when it is not a schema that forbids it. */
  readonly part: string | undefined;
  /** With which it is refused. */
  readonly status: 400 | 422;
  readonly broken: fc.Arbitrary<BrokenRequest>;
}

/** Every way to break a request of `operation`; `names` are those that a query might have, and has not. */
export function waysToBreakRequest(
  operation: Operation,
  servers: Servers,
  known: Known,
  names: readonly string[],
): readonly RequestWay[] {
  const valid = validRequests(operation, servers, known);
  return [
    ...operation.parameters.flatMap((parameter) => inParameter(parameter, valid)),
    ...inQuery(operation, valid, known, names),
    ...inBody(operation, valid, known),
  ];
}

function inParameter(parameter: Parameter, valid: fc.Arbitrary<FuzzRequest>): readonly RequestWay[] {
  const { name, place } = parameter;
  return Object.entries(invalidParameters(parameter)).map(([way, values]) => ({
    name: `${place} ${name}: ${way}`,
    part: name,
    status: 400,
    broken: fc.tuple(valid, values).map(([request, value]) => ({
      request: { ...request, parameters: { ...request.parameters, [name]: value } },
      field: name,
    })),
  }));
}

/** Texts that are no whole numbers, at least not as they are to be spelled. */
const NO_INTEGERS = [
  '',
  ' ',
  'x',
  'true',
  'null',
  '1.5',
  '1.0',
  '01',
  '+1',
  '-0',
  ' 1',
  '1 ',
  '1e1',
  '0x1',
  '１',
  '1,2',
];

function invalidParameters({ schema, place }: Parameter): Readonly<Record<string, fc.Arbitrary<unknown>>> {
  const { items, maxItems } = schema;
  const carried = (text: string) => carries(place, text);
  if (schema.types.includes('integer')) {
    return { 'out of range': numbersBeyond(schema), 'no integer': fc.constantFrom(...NO_INTEGERS) };
  }
  if (!items) return invalidTexts(schema, carried);
  const tooMany = elements(schema, {}).map((each) => repeated(each, maxItems + 1));
  // A comma would make it two elements.
  const inside = Object.entries(invalidTexts(items, (text) => carried(text) && !text.includes(',')));
  return {
    'too many elements': tooMany,
    ...Object.fromEntries(
      inside.map(([way, texts]) => [
        `an element: ${way}`,
        fc.tuple(fc.array(elements(schema, {}), { maxLength: 2 }), texts).map(([list, text]) => [...list, text]),
      ]),
    ),
  };
}

function inQuery(
  { parameters }: Operation,
  valid: fc.Arbitrary<FuzzRequest>,
  known: Known,
  names: readonly string[],
): readonly RequestWay[] {
  const own = parameters.filter(({ place }) => place === 'query');
  const strange = names.filter((name) => !own.some((parameter) => parameter.name === name));
  const way = (name: string, broken: fc.Arbitrary<BrokenRequest>) =>
    ({ name, part: undefined, status: 400, broken }) as const;
  const twice = own.map((parameter) =>
    way(
      `query ${parameter.name}: twice`,
      fc.tuple(valid, validParameters(parameter, known)).map(([request, value]) => ({
        request: {
          ...request,
          parameters: { ...request.parameters, [parameter.name]: value },
          surplus: `${parameter.name}=${encodeURIComponent(written(value))}`,
        },
        field: parameter.name,
      })),
    ),
  );
  // Each of the names once: a parameter that is read and not documented has some name, and only that one finds it.
  const unknown = strange.map((name) =>
    way(
      `query ${name}: not a parameter`,
      valid.map((request) => ({ request: { ...request, surplus: `${name}=1` }, field: name })),
    ),
  );
  return [...twice, ...unknown];
}

function inBody({ body }: Operation, valid: fc.Arbitrary<FuzzRequest>, known: Known): readonly RequestWay[] {
  if (!body) return [];
  return waysToBreak(body.schema, known).map(({ name, broken }) => ({
    name: `body ${name}`,
    part: 'body',
    status: 422,
    broken: fc.tuple(valid, fc.constantFrom(...body.types), broken).map(([request, type, { value, field }]) => ({
      request: { ...request, body: { type, value } },
      field: field.replace(/^\./, ''),
    })),
  }));
}
