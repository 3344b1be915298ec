import buildSerializer from 'fast-json-stringify';
import { isKept, resourcesOf } from './schemas.ts';

type Serializer = (value: unknown) => string;

/** The serializers of the process by their schemas. To build them takes a third of the CPU time of a registration. */
const BUILT = new WeakMap<object, Serializer>();

/**
 * Returns the function that serializes the values of a schema of an operation. All paths and servers with a schema share
 * one.
 */
export function serializerOf(schema: object): Serializer {
  const built = BUILT.get(schema) ?? buildSerializer(serializerSchema(schema));
  BUILT.set(schema, built);
  return built;
}

/**
 * Returns the schema by which a response is serialized. A union of a resource and null becomes one schema with two
 * types. A union of several resources accepts any value, and so does a {@link keptSchema}. For a union, the serializer
 * would validate each value, and fail for a stored one that exceeds a later limit.
 */
function serializerSchema(schema: object): Readonly<Record<string, unknown>> {
  const [resource, ...others] = resourcesOf(schema);
  if (others.length > 0 || isKept(resource ?? schema)) return {};
  const members = Object.entries(resource ?? schema).map(([name, member]) => [name, serializerValue(member)] as const);
  return Object.fromEntries(resource ? [...members, ['type', ['object', 'null']]] : members);
}

/** Returns a member of a schema, with each schema within it replaced by {@link serializerSchema}. */
function serializerValue(value: unknown): unknown {
  if (Array.isArray(value)) return value.map((element) => serializerValue(element));
  return typeof value === 'object' && value !== null ? serializerSchema(value) : value;
}
