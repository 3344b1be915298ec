/**
 * Returns the schema by which Fastify serializes a response. A union of a resource and null becomes one schema with two
 * types: for a union, the serializer would validate each value, and fail for a stored one that exceeds a later limit.
 */
export function serializerSchema(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map((element) => serializerSchema(element));
  if (typeof schema !== 'object' || schema === null) return schema;
  const [resource] = 'anyOf' in schema && Array.isArray(schema.anyOf) ? schema.anyOf : [];
  const members = Object.entries(resource ?? schema).map(([name, member]) => [name, serializerSchema(member)] as const);
  return Object.fromEntries(resource === undefined ? members : [...members, ['type', ['object', 'null']]]);
}
