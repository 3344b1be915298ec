import fc from 'fast-check';
import { carries, type FuzzRequest, written } from './fuzz-requests.ts';
import { numbersBeyond, waysToBreak } from './invalid-values.ts';
import type { Operation, Parameter } from './operations.ts';
import { invalidTexts } from './texts.ts';
import { type Servers, validParameters, validRequests } from './valid-requests.ts';
import { elements, type Known, repeated } from './valid-values.ts';

/** A request with one invalid part. */
interface BrokenRequest {
  readonly request: FuzzRequest;
  /** Expected field of the problem. */
  readonly field: string;
}

/** A request with one invalid part, and the expected rejection. */
export interface RequestWay {
  readonly name: string;
  /** Name of the invalid parameter, or `body`; `undefined` if no schema forbids the part. */
  readonly part: string | undefined;
  /** Expected status. */
  readonly status: 400 | 422;
  readonly broken: fc.Arbitrary<BrokenRequest>;
}

/** Returns all invalid requests of `operation`; `names` are candidates of unknown parameters. */
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

/** Texts that are not integers, or not in canonical form. */
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
    return { 'out of range': numbersBeyond(schema), 'not an integer': fc.constantFrom(...NO_INTEGERS.filter(carried)) };
  }
  if (!items) return invalidTexts(schema, carried);
  const tooMany = elements(schema, {}).map((each) => repeated(each, maxItems + 1));
  // A comma would split it into two elements.
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
  // A list may be repeated.
  const single = own.filter(({ schema }) => !schema.items);
  const twice = single.map((parameter) =>
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
  // Every name is tried, because only the right one finds an undocumented parameter.
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
