import { randomUUID } from 'node:crypto';
import { isRecord } from '../fixtures/json.ts';
import { comparePair } from './compare-pair.ts';
import { isDone } from './exchange.ts';
import { inJson, requestOf } from './party.ts';
import type { Holder, Scene } from './scene.ts';

/** Creates unique resources again as another owner, with keys and ids of the victim, which must have no effect. */
export async function probeConflicts(scene: Scene, { party, held }: Holder): Promise<void> {
  const [server = ''] = scene.api.servers;
  const theirs = scene.victim.held;
  for (const { family, body } of held.filter(({ state }) => state === 'in full')) {
    const { creation } = family;
    const requestWith = (sent: string, key: string, members: object = {}) => {
      const again = { ...(isRecord(body) ? body : {}), ...members };
      const parameters = { 'Idempotency-Key': key };
      return { sent, request: requestOf(creation, { server, parameters, body: inJson(creation, again) }) };
    };
    const again = requestWith('', party.text());
    // A resource that need not be unique cannot conflict.
    if (isDone(await party.send(again.request))) continue;
    const compare = (
      example: string,
      ...pair: readonly [ReturnType<typeof requestWith>, ReturnType<typeof requestWith>]
    ) => comparePair(scene, party, `repeated ${creation.id} by ${party.owner}`, example, ...pair);
    for (const key of theirs.flatMap(({ keys }) => keys)) await compare(key, requestWith('', key), again);
    const names = Object.entries(creation.body?.schema.properties ?? {}).filter(([, schema]) => schema.isUuid);
    for (const [name] of names) {
      const named = (id: string) => requestWith(id, party.text(), { [name]: id });
      for (const { id } of theirs) await compare(`${name} ${id}`, named(id), named(randomUUID()));
    }
  }
}
