import { at, isRecord, textAt } from '../fixtures/json.ts';
import type { Operation } from '../hostile/operations.ts';
import { aBody, type Source } from './bodies.ts';
import { type ProbeResponse, headerOf, isDone, jsonOf } from './exchange.ts';
import { idsIn, listedIdsOf } from './families.ts';
import { type Held, partsIn, sourceOf, withListed } from './holdings.ts';
import { type Filled, inJson, type Party, requestOf } from './party.ts';
import type { Holder, Scene } from './scene.ts';
import { leakedSecrets } from './secrets.ts';

/**
 * Repeats all requests of the victim as another owner, with the same bodies and keys, which must neither conflict nor
 * replay.
 */
export async function probeRepeats(scene: Scene, { party }: Holder): Promise<void> {
  const own: Held[] = [];
  for (const theirs of scene.victim.held) {
    const { family, keys, changes } = theirs;
    const body = withOwnIds(family.creation, theirs.body, sourceOf(scene.api.families, party, own));
    const [creationKey] = keys;
    const creation = { ...keyed(creationKey), ...(family.creation.body && { body: inJson(family.creation, body) }) };
    const created = await repeat(scene, party, family.creation, creation, theirs);
    if (!isDone(created)) continue;
    const id = textAt(jsonOf(created), 'id');
    own.push({ ...theirs, id });
    let last = created;
    for (const { operation, example, parameters } of changes) {
      const parts = partsIn(jsonOf(last));
      // Elements of a list belong to one owner. Values of the victim in their place are probed by themselves.
      if (!isDone(last) || listedIdsOf(scene.api, operation).some((name) => !(name in parts))) break;
      last = await repeat(scene, party, operation, { id, ...withListed(example, parts, parameters) }, theirs);
    }
  }
}

/** Changes resources of another owner to the texts of the victim, because uniqueness must be limited to an owner. */
export async function probeNames(scene: Scene, { party, held }: Holder): Promise<void> {
  const [server = ''] = scene.api.servers;
  const source = sourceOf(scene.api.families, party, held);
  for (const theirs of scene.victim.held) {
    const own = held.find(({ family, state }) => family === theirs.family && state === theirs.state);
    for (const { operation, name, schema, text } of textsIn(theirs)) {
      const filled = (value: unknown) => ({ id: own?.id, body: inJson(operation, { [name]: value }) });
      const usual = await party.send(requestOf(operation, { server, ...filled(aBody(schema, source, 'all', name)) }));
      // Fields that cannot change cannot take these texts.
      if (isDone(usual)) await repeat(scene, party, operation, filled(text), theirs);
    }
  }
}

/** Returns the texts of the creation of a resource, with the operations that change them. */
function textsIn({ family, body }: Held) {
  return family.operations.flatMap((operation) =>
    Object.entries(operation.body?.schema.properties ?? {}).flatMap(([name, schema]) => {
      const text = isRecord(body) && Object.hasOwn(body, name) ? at(body, name) : undefined;
      return typeof text === 'string' && !schema.isUuid ? [{ operation, name, schema, text }] : [];
    }),
  );
}

function keyed(key: string | undefined): Pick<Filled, 'parameters'> {
  return { parameters: key === undefined ? {} : { 'Idempotency-Key': key } };
}

/** Returns a body with ids of the owner instead of the original ids. */
function withOwnIds({ body }: Operation, value: unknown, { id }: Source): unknown {
  const names = body ? idsIn(body.schema) : [];
  return JSON.parse(JSON.stringify(value ?? null), (name, member: unknown) =>
    names.includes(name) ? id(name) : member,
  );
}

/** Sends a request of the victim, and reports its rejection or replay. */
async function repeat(
  { api, victim, findings }: Scene,
  party: Party,
  operation: Operation,
  filled: Omit<Filled, 'server'>,
  { body }: Held,
): Promise<ProbeResponse> {
  const request = requestOf(operation, { server: api.servers[0] ?? '', ...filled });
  const response = await party.send(request);
  const subject = `${operation.id} by ${party.owner}, as the victim did before`;
  const example = `${request.url} ${request.payload ?? ''}`;
  const replayed = headerOf(response, 'idempotent-replayed');
  if (!isDone(response)) findings.add(subject, `status ${response.status}`, example);
  if (replayed !== undefined) findings.add(subject, 'is replayed', example);
  // The other owner has the same texts now.
  const known = JSON.stringify(body);
  for (const secret of leakedSecrets(victim.party, request, response, known))
    findings.add(subject, `tells ${secret}`, example);
  return response;
}
