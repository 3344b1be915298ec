import { InvalidFields, isOwner } from '@orders/domain';
import type { FastifyRequest } from 'fastify';
import type { Result } from 'neverthrow';
import { toProblem } from '../../problems/from-domain.ts';
import { isLine } from '../../hidden-characters.ts';
import type { Problem } from '../../problems/problem.ts';
import { readJson } from '../../request/json-body.ts';

/** Returns the value of a member, or adds what is invalid. One that may be absent has a value then, such as `null`. */
export type ReadMember<Value> = (input: unknown, name: string, invalid: InvalidFields) => Value | undefined;

type Values<Members> = {
  readonly [Name in keyof Members]: Members[Name] extends ReadMember<infer Value> ? Value : never;
};

/** Reads the body as an object with these members, and no others. All that is invalid is reported together. */
export function readBody<Members extends Readonly<Record<string, ReadMember<unknown>>>>(
  request: FastifyRequest,
  members: Members,
): Result<Values<Members>, Problem> {
  return readJson(request).andThen((body) => {
    const invalid = new InvalidFields();
    const sent = invalid.readObject(body, Object.keys(members));
    const values = Object.entries(members).map(([name, read]) => [name, read(sent[name], name, invalid)]);
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what each returns is its value, unless it is invalid
    return invalid.toResult(Object.fromEntries(values) as Values<Members>).mapErr(toProblem);
  });
}

export const readOwner: ReadMember<string> = (input, name, invalid) =>
  isOwner(input) ? input : invalid.add(name, 'invalid_value', 'must be 1 to 255 printable ASCII characters');

export const readBoolean: ReadMember<boolean> = (input, name, invalid) =>
  typeof input === 'boolean' ? input : invalid.add(name, 'wrong_type', 'must be true or false');

/** Reads a member that may be absent. */
export function optional<Value>(read: ReadMember<Value>): ReadMember<Value | undefined> {
  return (input, name, invalid) => (input === undefined ? undefined : read(input, name, invalid));
}

/** Reads one of the `known` texts. */
export function readOneOf<Known extends string>(known: readonly Known[]): ReadMember<Known> {
  return (input, name, invalid) => invalid.readOneOf(input, name, known);
}

/** Reads a text on one line. */
export function readLine(lengthMax: number): ReadMember<string> {
  return (input, name, invalid) =>
    typeof input === 'string' && input.trim() === input && isLine(input, lengthMax)
      ? input
      : invalid.add(name, 'invalid_value', `must be 1 to ${lengthMax} characters on one line`);
}

/** Reads a member that may be absent, which is null. */
export function optionalOrNull<Value>(read: ReadMember<Value>): ReadMember<Value | null> {
  return (input, name, invalid) => (input === undefined || input === null ? null : read(input, name, invalid));
}
