import {
  type CustomData,
  type DefinitionFault,
  defineOrders,
  findDefinitionFaults,
  type OrderDefinition,
} from '@orders/domain';
import { err, ok, type Result } from 'neverthrow';
import { findDuplicateMembers } from '../files/duplicate-members.ts';
import { readTextFile } from '../files/read-text-file.ts';
import { reasonOf } from '../operator-error.ts';
import { findSchemaFaults } from './custom-schema-faults.ts';
import { inlineReferences } from './inline-references.ts';
import { isSchemaObject, type SchemaObject } from './json-schema-keywords.ts';
import { compileSchema } from './schema-compiler.ts';
import { toInvalidFields } from './schema-errors.ts';

/** Maximum size of a definition file, in bytes. */
export const DEFINITION_BYTES_MAX = 256 * 1024;
/** Maximum number of objects and arrays that a value of a definition file is nested in. */
export const DEFINITION_DEPTH_MAX = 100;

/** Maximum number of faults that are reported together. */
const FAULTS_MAX = 100;

const REQUIRED = ['lifecycle', 'initial', 'cancel'];
const MEMBERS = ['$schema', ...REQUIRED, 'requires', 'custom', 'custom_required'];

/**
 * Reads a definition of orders from a JSON file. Returns all its faults, a line for each: the file, the JSON pointer
 * (RFC 6901) of the member, and what is wrong. Nothing in the file is run as code.
 */
export async function readDefinition(path: string): Promise<Result<OrderDefinition, readonly string[]>> {
  const text = await readTextFile(path, DEFINITION_BYTES_MAX);
  return text
    .orElse((message) => fault(message))
    .andThen(toDefinition)
    .mapErr((faults) => linesOf(path, faults));
}

function toDefinition(text: string): Result<OrderDefinition, readonly DefinitionFault[]> {
  let input: unknown;
  try {
    input = JSON.parse(text);
  } catch (cause) {
    return fault(`is not valid JSON: ${reasonOf(cause)}`);
  }
  const duplicates = findDuplicateMembers(text, DEFINITION_DEPTH_MAX);
  if (duplicates === null) return fault(`must be nested at most ${DEFINITION_DEPTH_MAX} times`);
  if (!isSchemaObject(input)) return fault('must be an object');
  const { lifecycle, initial, cancel, requires = {}, custom, custom_required: required = false } = input;
  const unknown = Object.keys(input).filter((name) => !MEMBERS.includes(name));
  const missing = REQUIRED.filter((name) => !Object.hasOwn(input, name));
  const faults = [
    ...duplicates,
    ...unknown.map((name) => ({ path: [name], message: `is unknown; the members are ${MEMBERS.join(', ')}` })),
    ...missing.map((name) => ({ path: [name], message: 'is required' })),
    ...findDefinitionFaults({ lifecycle, initial, cancel, requires }).filter(
      ({ path: [name = ''] }) => !missing.includes(name),
    ),
    ...(custom === undefined ? [] : faultsOfCustom(custom)),
    ...(typeof required === 'boolean' ? [] : [{ path: ['custom_required'], message: 'must be true or false' }]),
  ];
  if (faults.length > 0) return err(faults);
  const definition = withoutFaults(input);
  return ok(
    isSchemaObject(custom)
      ? defineOrders({ ...definition, custom: { ...customData(custom), required: required === true } })
      : defineOrders(definition),
  );
}

/** Returns the parts of a definition in which no fault was found. */
function withoutFaults(members: SchemaObject): Pick<OrderDefinition, 'lifecycle' | 'initial' | 'cancel' | 'requires'>;
function withoutFaults({ lifecycle, initial, cancel, requires = {} }: SchemaObject): object {
  return { lifecycle, initial, cancel, requires };
}

function faultsOfCustom(custom: unknown): readonly DefinitionFault[] {
  if (!isSchemaObject(custom)) return [{ path: ['custom'], message: 'must be a JSON schema, which is an object' }];
  return findSchemaFaults(custom).map(({ path, message }) => ({ path: ['custom', ...path], message }));
}

/** Returns the custom data that a JSON schema without faults describes. */
function customData(custom: SchemaObject): CustomData<unknown> {
  const { schema } = inlineReferences(custom);
  const validate = compileSchema(schema);
  return {
    schema,
    // The size of its input, which the domain has checked, bounds its time.
    parse: (input) => {
      const errors = validate(input);
      return errors.length === 0 ? ok(input) : err(toInvalidFields(errors, input));
    },
  };
}

function fault(message: string): Result<never, readonly DefinitionFault[]> {
  return err([{ path: [], message }]);
}

function linesOf(file: string, faults: readonly DefinitionFault[]): readonly string[] {
  const lines = faults
    .slice(0, FAULTS_MAX)
    .map(({ path, message }) => `${file}${path.length === 0 ? '' : `#${pointerTo(path)}`}: ${message}`);
  const more = faults.length - lines.length;
  return more > 0 ? [...lines, `${file}: ${more} more faults`] : lines;
}

/** Returns the JSON pointer (RFC 6901) of a member. */
function pointerTo(path: readonly string[]): string {
  return path.map((step) => `/${step.replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
}
