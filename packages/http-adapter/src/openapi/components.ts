import { isDeepStrictEqual } from 'node:util';
import type { OrderDefinition } from '@orders/domain';
import type { Authentication } from '../admission/authentication/authentication.ts';
import { extensionOf, isKept } from '../api/schemas.ts';

const KINDS = ['schemas', 'responses', 'parameters', 'headers'] as const;
type Kind = (typeof KINDS)[number];

export interface Reference {
  readonly $ref: string;
}

/** What the description of an operation depends on besides its route. */
export interface OperationContext {
  readonly deprecated: boolean;
  readonly authentication: Pick<Authentication, 'securitySchemes' | 'scopeChallenge'>;
  readonly components: Components;
  readonly definition: OrderDefinition;
}

/** Collects the components that one document refers to. */
export class Components {
  readonly #components = new Map<Kind, Map<string, unknown>>(KINDS.map((kind) => [kind, new Map()]));
  /** References by their value, because most headers and schemas are referred to hundreds of times. */
  readonly #references = new Map<unknown, Reference>();

  /**
   * Adds `value` under `name`, after which generated clients name their types. Returns the reference to it.
   *
   * @throws {Error} when another value of this kind has the name
   */
  refer(kind: Exclude<Kind, 'schemas'>, name: string, value: unknown): Reference {
    const known = this.#references.get(value);
    if (known?.$ref === referenceTo(kind, name)) return known;
    return this.#add(kind, name, value, this.withSchemas(value));
  }

  /**
   * Returns `value` with a reference in place of each schema that has a title. The title is the component's name. A schema
   * as `$ref` becomes a reference beside the other members, which adds to the schema in this place.
   */
  withSchemas(value: unknown): unknown {
    if (Array.isArray(value)) return value.map((element) => this.withSchemas(element));
    if (!isRecord(value)) return value;
    const { title } = value;
    const isNamed = typeof title === 'string' && ('type' in value || 'allOf' in value || isKept(value));
    const known = isNamed ? this.#references.get(value) : undefined;
    if (known) return known;
    if (isNamed && isKept(value)) return this.#add('schemas', title, value, value);
    const extension = extensionOf(value);
    if (extension) return this.withSchemas(extension);
    const members = Object.entries(value).map(([name, member]): [string, unknown] => [
      name,
      // Data may look like a schema.
      DATA.has(name) ? member : this.withSchemas(member),
    ]);
    const schema: Readonly<Record<string, unknown>> = Object.fromEntries(members);
    if (isRecord(schema['$ref'])) return { ...schema, ...schema['$ref'] };
    return isNamed ? this.#add('schemas', title, value, withoutTitle(schema)) : schema;
  }

  /** Returns all components by kind, sorted by name. */
  sorted(): Readonly<Record<string, unknown>> {
    return Object.fromEntries(
      [...this.#components].map(([kind, components]) => [
        kind,
        Object.fromEntries([...components].toSorted(([left], [right]) => (left < right ? -1 : 1))),
      ]),
    );
  }

  #add(kind: Kind, name: string, value: unknown, component: unknown): Reference {
    const components = this.#components.get(kind);
    if (components?.has(name) && !isDeepStrictEqual(components.get(name), component)) {
      throw new Error(`The OpenAPI document has two different ${kind} named ${name}: give one of them another name.`);
    }
    components?.set(name, component);
    const reference = { $ref: referenceTo(kind, name) };
    this.#references.set(value, reference);
    return reference;
  }
}

/** Returns a schema without its title, which is the name of its component. */
function withoutTitle({ title: _title, ...schema }: Readonly<Record<string, unknown>>): unknown {
  return schema;
}

function referenceTo(kind: Kind, name: string): string {
  return `#/components/${kind}/${name}`;
}

const DATA = new Set(['example', 'examples', 'enum', 'const', 'default']);

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}
