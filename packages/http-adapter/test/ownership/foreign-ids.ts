import { randomUUID } from 'node:crypto';
import type { Operation } from '../hostile/operations.ts';
import { isRecord } from '../fixtures/json.ts';
import { DISTANT_FUTURE } from './bodies.ts';
import { comparePair } from './compare-pair.ts';
import { forAll } from './findings.ts';
import { examplesOf, type Held, sourceOf, withListed } from './holdings.ts';
import { requestOf } from './party.ts';
import type { Holder, Scene } from './scene.ts';
import { anyBodies, combined, inBody, inParameters, inPath, type Values, type Variation } from './variations.ts';

/** Compares every operation on resources of the victim with the same on nonexistent ids. */
export async function probeForeignIds(scene: Scene): Promise<void> {
  for (const operation of scene.api.families.flatMap(({ operations }) => operations)) {
    const bodies = anyBodies(operation);
    const theirs = scene.victim.held.filter(({ family }) => family.operations.includes(operation));
    for (const held of theirs) {
      for (const other of scene.others) {
        const variations = variationsOf(scene, operation, held, other, bodies);
        await forAll(variations, (variation) => compare(scene, operation, held, other, variation));
      }
    }
  }
}

/** Returns the variations of requests, and the requests that created and changed the resource. */
function variationsOf(
  scene: Scene,
  operation: Operation,
  held: Held,
  other: Holder,
  bodies: readonly Variation[],
): readonly Variation[] {
  const parts = partsOf(scene, operation, held, other);
  const example = examplesOf(operation)[0];
  const replays = held.keys.map((key) => ({
    label: `again, with the key ${key}`,
    ...withListed(held.changes.at(-1)?.example ?? example, held.listed, { 'Idempotency-Key': key }),
  }));
  const takesKeys = operation.parameters.some(({ name }) => name === 'Idempotency-Key');
  const ways = held.state === 'in full' ? [...combined(parts), ...bodies] : parts.flat();
  return [{ label: 'plainly' }, ...ways, ...(takesKeys ? replays : [])];
}

function partsOf({ api, victim, cursors }: Scene, operation: Operation, held: Held, { party, held: had }: Holder) {
  const etag = held.etag ?? '"1"';
  const own = sourceOf(api.families, party, had);
  const [used] = had.flatMap(({ keys }) => keys);
  const known: Values = {
    'If-Match': [etag, '*', '"0-0"', `W/${etag}`],
    'If-None-Match': [etag, '*', '"0-0"'],
    'Idempotency-Key': [party.text(), ...held.keys, ...(used === undefined ? [] : [used])],
    'X-Request-Id': ['probe'],
    after: cursors.filter((cursor) => cursor.operation.path === operation.path).map(({ text }) => text),
    at: [...timesIn(held.shown), DISTANT_FUTURE],
    version: ['1', '2', '3'],
    ...held.listed,
  };
  return [
    ...inParameters(operation, known, own),
    inPath(api.servers),
    inBody(operation, held.shown, { ...own, id: sourceOf(api.families, victim.party, victim.held).id }),
  ];
}

/** Returns the times of a resource. */
function timesIn(shown: unknown): readonly string[] {
  const values: readonly unknown[] = isRecord(shown) ? Object.values(shown) : [];
  return [
    ...new Set(values.filter((value) => typeof value === 'string' && /^\d{4}(-\d{2}){2}T/.test(value)).map(String)),
  ];
}

async function compare(
  scene: Scene,
  operation: Operation,
  held: Held,
  { party }: Holder,
  { label, spell = (id) => id, ...variation }: Variation,
): Promise<void> {
  const [server = ''] = scene.api.servers;
  const plain = withListed(examplesOf(operation)[0], held.listed);
  const parameters = { ...plain.parameters, ...variation.parameters };
  const requestWith = (id: string) => ({
    sent: spell(id),
    request: requestOf(operation, { server, ...plain, ...variation, parameters, id: spell(id) }),
  });
  const subject = `${operation.id} by ${party.owner}`;
  await comparePair(scene, party, subject, `${held.state}, ${label}`, requestWith(held.id), requestWith(randomUUID()));
}
