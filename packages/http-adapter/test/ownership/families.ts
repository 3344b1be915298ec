import { type Operation, operationsOf, type Parameter, serversOf } from '../hostile/operations.ts';
import type { RequestSchema } from '../hostile/request-schema.ts';

/** The resources of one collection. */
export interface Family {
  /** Path of the collection, relative to the server. */
  readonly collection: string;
  readonly creation: Operation;
  /** Operations on one resource by its id. */
  readonly operations: readonly Operation[];
}

/** The API of a document. */
export interface ApiShape {
  /** Paths of the servers. */
  readonly servers: readonly string[];
  readonly operations: readonly Operation[];
  /** Families in order of their references. */
  readonly families: readonly Family[];
}

/** The ids of an imported resource and of its parts, which the request gives it. */
const OWN = ['id', 'item_id'];

/**
 * Reads the families of a document.
 *
 * @throws {Error} if the probe does not support an operation
 */
export function readApi(document: unknown): ApiShape {
  const operations = probedOperations(document);
  const withId = operations.filter(({ path }) => path.includes('{'));
  const families = [...Map.groupBy(withId, collectionOf)].map(([collection, group]): Family => {
    const creation = operations.find(({ method, path }) => method === 'POST' && path === collection);
    if (creation) return { collection, creation, operations: group };
    throw new Error(`the probe cannot create what ${named(group)} is about: the document has no POST ${collection}`);
  });
  if (families.length === 0) throw new Error('the document has no operation with an id');
  // Those in the body of an operation on a resource may belong to parts of it.
  for (const operation of operations.filter(({ path }) => !path.includes('{')))
    for (const name of idsOf(operation)) if (!OWN.includes(name)) familyNamed(families, name);
  return { servers: serversOf(document), operations, families: inOrder(families) };
}

/** Returns all operations of the document, and the HEAD that comes with every GET. */
export function probedOperations(document: unknown): readonly Operation[] {
  return operationsOf(document).flatMap((operation): Operation[] =>
    operation.method === 'GET'
      ? [operation, { ...operation, id: `${operation.id}_head`, method: 'HEAD' }]
      : [operation],
  );
}

function named(operations: readonly Operation[]): string {
  return operations.map(({ id }) => id).join(', ');
}

/** Returns the collection of the resource of an operation: the path before its id. Integers and ids of parts may follow. */
function collectionOf({ id, path, parameters }: Operation): string {
  const [, collection = '', name = '', rest = ''] = /^([^{}]*)\/\{([^{}]+)\}(\/.*)?$/.exec(path) ?? [];
  const schemaOf = (each: string) => parameters.find((one) => one.place === 'path' && one.name === each)?.schema;
  const others = [...rest.matchAll(/\{([^{}]+)\}/g)].map(([, other = '']) => schemaOf(other));
  const isKnown = others.every((other) => other?.isUuid === true || other?.types.includes('integer'));
  if (schemaOf(name)?.isUuid === true && isKnown) return collection;
  throw new Error(`the probe does not know what ${id} takes: not a UUID, and then UUIDs and integers, in ${path}`);
}

function inOrder(families: readonly Family[]): readonly Family[] {
  const ordered: Family[] = [];
  while (ordered.length < families.length) {
    const next = families.find(
      (family) =>
        !ordered.includes(family) &&
        idsOf(family.creation).every((name) => ordered.includes(familyNamed(families, name))),
    );
    if (!next) throw new Error('the probe cannot create anything of what is left: each needs the id of another');
    ordered.push(next);
  }
  return ordered;
}

/** Returns the possible names of ids in a value with this name. */
export function idsIn({ isUuid, properties, items }: RequestSchema, name = ''): readonly string[] {
  if (isUuid) return [name];
  const inside = Object.entries(properties).flatMap(([each, schema]) => idsIn(schema, each));
  return [...new Set([...inside, ...(items ? idsIn(items, name) : [])])];
}

/**
 * Returns the names of the ids of an operation that belong to no collection. They are members of the list at the path of the
 * operation, such as `event_id` of a delivery, or else of parts of the resource, such as `item_id` of an order.
 */
export function listedIdsOf({ families }: Pick<ApiShape, 'families'>, operation: Operation): readonly string[] {
  const inPath = parametersBesideId(operation).filter(({ place, schema }) => place === 'path' && schema.isUuid);
  const names = [...inPath.map(({ name }) => name), ...idsOf(operation)];
  return names.filter((name) => !findFamily(families, name));
}

/** Returns the parameters of an operation but the id of its resource in the path. */
export function parametersBesideId({ path, parameters }: Operation): readonly Parameter[] {
  const [, id] = /\{([^{}]+)\}/.exec(path) ?? [];
  return parameters.filter(({ place, name }) => place !== 'path' || name !== id);
}

function idsOf({ body }: Operation): readonly string[] {
  return body ? idsIn(body.schema) : [];
}

/** Returns the family of the ids with this name: `customer_id` belongs to `/customers`. */
export function findFamily(families: readonly Family[], name: string): Family | undefined {
  return families.find(({ collection }) => collection.slice(1).startsWith(name.replace(/_id$/, '')));
}

function familyNamed(families: readonly Family[], name: string): Family {
  const family = findFamily(families, name);
  if (family) return family;
  throw new Error(`the probe does not know whose id ${name} is`);
}
