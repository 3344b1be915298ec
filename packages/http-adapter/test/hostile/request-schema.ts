import { at, isRecord, stepsOf } from '../fixtures/json.ts';

/** A schema of a request. Reading a schema with an unsupported keyword throws. */
export interface RequestSchema {
  readonly types: readonly string[];
  readonly values: readonly string[] | undefined;
  readonly pattern: RegExp | undefined;
  readonly isUuid: boolean;
  readonly isDateTime: boolean;
  readonly isUri: boolean;
  /** Maximum length in code points. */
  readonly minLength: number;
  readonly maxLength: number;
  readonly minimum: number;
  readonly maximum: number;
  readonly items: RequestSchema | undefined;
  readonly minItems: number;
  readonly maxItems: number;
  readonly properties: Readonly<Record<string, RequestSchema>>;
  readonly required: readonly string[];
  /** Schema of additional members; `undefined` if they are not allowed. */
  readonly others: RequestSchema | undefined;
  readonly names: RequestSchema | undefined;
  readonly maxProperties: number;
}

/** Keywords without validation, or with redundant validation. */
const WORDS_ONLY = ['title', 'description', 'default', 'examples', '$defs'];
const TYPES = ['string', 'integer', 'boolean', 'object', 'array', 'null'];
/** The schema also has the range of integers. */
const FORMATS: readonly unknown[] = [undefined, 'uuid', 'date-time', 'uri', 'int32'];
const NOWHERE = Number.MAX_SAFE_INTEGER;

/**
 * Reads a schema.
 *
 * @throws {Error} if the schema has a keyword that the generators do not support
 */
export function readRequestSchema(document: unknown, written: unknown): RequestSchema {
  const schema = new Map(Object.entries(isRecord(written) ? written : {}));
  const take = (keyword: string): unknown => {
    const value = schema.get(keyword);
    schema.delete(keyword);
    return value;
  };
  const nested = (keyword: string) => {
    const value = take(keyword);
    return value === undefined ? undefined : readRequestSchema(document, value);
  };
  const reference = take('$ref');
  if (typeof reference === 'string') return readRequestSchema(document, at(document, ...stepsOf(reference)));
  for (const word of WORDS_ONLY) take(word);
  const union = take('anyOf');
  const all: readonly unknown[] = Array.isArray(union) ? union : [];
  const [only, ...further] = all.filter((each) => at(each, 'type') !== 'null');
  if (only !== undefined && further.length === 0 && schema.size === 0) {
    const read = readRequestSchema(document, only);
    return { ...read, types: [...new Set([...read.types, 'null'])] };
  }
  const number = (keyword: string, otherwise: number) => numberOr(take(keyword), otherwise);
  const [type, format, pattern] = [take('type'), take('format'), take('pattern')];
  // Requests accept the known values of an open enumeration only.
  const [closed, open] = [take('enum'), take('x-extensible-enum')];
  const enumerated = closed ?? open;
  const types = typeof type === 'string' ? [type] : textsOf(type ?? []);
  // Beside its members, a patch of a closed object has null alone, which changes nothing.
  const others = take('unevaluatedProperties') === undefined ? take('additionalProperties') : false;
  const properties = take('properties');
  const read: RequestSchema = {
    types,
    values: enumerated === undefined ? undefined : textsOf(enumerated),
    pattern: typeof pattern === 'string' ? new RegExp(pattern, 'u') : undefined,
    isUuid: format === 'uuid',
    isDateTime: format === 'date-time',
    isUri: format === 'uri',
    minLength: number('minLength', 0),
    maxLength: number('maxLength', NOWHERE),
    minimum: number('minimum', -NOWHERE),
    maximum: number('maximum', NOWHERE),
    items: nested('items'),
    minItems: number('minItems', 0),
    maxItems: number('maxItems', NOWHERE),
    properties: Object.fromEntries(
      Object.entries(isRecord(properties) ? properties : {}).map(([name, value]) => [
        name,
        readRequestSchema(document, value),
      ]),
    ),
    required: textsOf(take('required') ?? []),
    others: isRecord(others) ? readRequestSchema(document, others) : undefined,
    names: nested('propertyNames'),
    maxProperties: number('maxProperties', NOWHERE),
  };
  const unknown = [
    ...(union === undefined ? [] : ['anyOf']),
    ...schema.keys(),
    ...types.filter((each) => !TYPES.includes(each)).map((each) => `type ${each}`),
    ...(types.length === 0 ? ['a schema without a type'] : []),
    ...(FORMATS.includes(format) ? [] : [`format ${JSON.stringify(format)}`]),
    ...(types.includes('object') && others !== false && !read.others ? ['an open object'] : []),
    ...(Object.keys(read.properties).length > 0 && read.others ? ['named and unnamed members'] : []),
  ];
  if (unknown.length === 0) return read;
  throw new Error(`the generators do not support ${unknown.join(', ')} of ${JSON.stringify(written)}`);
}

function numberOr(value: unknown, otherwise: number): number {
  return typeof value === 'number' ? value : otherwise;
}

function textsOf(value: unknown): readonly string[] {
  if (Array.isArray(value) && value.every((each) => typeof each === 'string')) return value;
  throw new Error(`not a list of texts: ${JSON.stringify(value)}`);
}
