/**
 * Returns the schema by which Fastify serializes a response. A union of a resource and null becomes one schema with two
 * types. For a union, the serializer would validate each value, and fail for a stored one that exceeds a later limit.
 */
export function serializerSchema(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map((element) => serializerSchema(element));
  if (typeof schema !== 'object' || schema === null) return schema;
  const resource = unionWithNull(schema);
  const members = Object.entries(resource ?? schema).map(([name, member]) => [name, serializerSchema(member)] as const);
  return Object.fromEntries(resource ? [...members, ['type', ['object', 'null']]] : members);
}

/** Returns the resource of a union of a resource and null; `undefined` for another schema. */
function unionWithNull(schema: object): object | undefined {
  const union: readonly unknown[] = 'anyOf' in schema && Array.isArray(schema.anyOf) ? schema.anyOf : [];
  const [resource] = union;
  return typeof resource === 'object' && resource !== null ? resource : undefined;
}
