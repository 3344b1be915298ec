import { randomUUID } from 'node:crypto';
import { at, isRecord } from '../fixtures/json.ts';
import type { Operation } from '../hostile/operations.ts';
import type { RequestSchema } from '../hostile/request-schema.ts';
import { aBody } from './bodies.ts';
import { comparePair } from './compare-pair.ts';
import { idsIn, parametersBesideId } from './families.ts';
import { forAll } from './findings.ts';
import { type Filled, inJson, requestOf } from './party.ts';
import type { Holder, Scene } from './scene.ts';

/** A place in the path, query, headers or body where a value of the victim may occur. */
interface Slot {
  readonly name: string;
  readonly theirs: readonly string[];
  /** A nonexistent value. */
  readonly nonexistent: () => string;
  readonly fill: (value: string) => Partial<Filled>;
}

/** Compares the responses to values of the victim, in paths, parameters and bodies, with those to nonexistent values. */
export async function probeForeignValues(scene: Scene): Promise<void> {
  for (const operation of scene.api.operations) {
    for (const other of scene.others) {
      const own = ownId(operation, other);
      if (own === undefined) continue;
      const slots = [slotsInParameters, slotsInBody].flatMap((read) => read(scene, operation, other));
      for (const slot of slots)
        await forAll(slot.theirs, (value) => compare(scene, operation, other, own, slot, value));
    }
  }
}

/** Returns an id of the sender; `''` if none is needed, `undefined` if none exists. */
function ownId(operation: Operation, { held }: Holder): string | undefined {
  if (!operation.path.includes('{')) return '';
  return held.find(({ family, state }) => family.operations.includes(operation) && state === 'in full')?.id;
}

/** Returns the ids of all resources of an owner, and of their parts. */
function idsOf({ held }: Holder): readonly string[] {
  return [...new Set(held.flatMap(({ id, listed }) => [id, ...Object.values(listed).flat()]))];
}

function slotsInParameters({ victim }: Scene, operation: Operation, { party }: Holder): readonly Slot[] {
  return parametersBesideId(operation)
    .filter(({ name, schema }) => name !== 'after' && isFree(schema))
    .map(({ name, schema }) => ({
      name,
      theirs: schema.isUuid ? idsOf(victim) : shownAs(name, victim),
      nonexistent: schema.isUuid ? randomUUID : party.text,
      fill: (value) => ({ parameters: { [name]: value } }),
    }));
}

function isFree({ types, values }: RequestSchema): boolean {
  return types.includes('string') && !values;
}

function shownAs(name: string, { held }: Holder): readonly string[] {
  const values = held.map(({ shown }) => (isRecord(shown) && Object.hasOwn(shown, name) ? at(shown, name) : null));
  return [...new Set(values.filter((value) => typeof value === 'string'))];
}

function slotsInBody({ victim }: Scene, operation: Operation, { party }: Holder): readonly Slot[] {
  const { body } = operation;
  if (!body) return [];
  const text = party.text();
  const members = Object.entries(body.schema.properties).filter(([name, schema]) => idsIn(schema, name).length > 0);
  return members.map(([name, schema]) => ({
    name,
    theirs: idsOf(victim),
    nonexistent: randomUUID,
    fill: (value) => {
      const source = { text: () => text, id: () => value };
      const rest = aBody(body.schema, source, 'required');
      return { body: inJson(operation, Object.assign({}, rest, { [name]: aBody(schema, source, 'all', name) })) };
    },
  }));
}

async function compare(
  scene: Scene,
  operation: Operation,
  { party }: Holder,
  id: string,
  { name, nonexistent, fill }: Slot,
  value: string,
): Promise<void> {
  const [server = ''] = scene.api.servers;
  const requestWith = (sent: string) => ({ sent, request: requestOf(operation, { server, id, ...fill(sent) }) });
  const subject = `${operation.id} by ${party.owner}`;
  await comparePair(scene, party, subject, `${name} ${value}`, requestWith(value), requestWith(nonexistent()));
}
