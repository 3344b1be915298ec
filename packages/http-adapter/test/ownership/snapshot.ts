import { blanked } from './differences.ts';
import type { ProbeResponse } from './exchange.ts';
import { requestOf } from './party.ts';
import type { Holder, Scene } from './scene.ts';
import { leakedSecrets } from './secrets.ts';

/** All readable data of an owner, by description. */
export type Snapshot = ReadonlyMap<string, string>;

/** Members of a delivery that change without a request, whenever the server sends it. */
const OF_ATTEMPTS =
  /("status":(?="(?:pending|delivered|failed)","attempts")|"(?:attempts|last_\w+|next_attempt_at)":)(?:"[^"]*"|[^,}]*)/g;

/** Returns a response as text, without what background work changes, and without its length. */
function textOf(response: ProbeResponse): string {
  const { status, headers, body } = blanked({ sent: '', response });
  const compared = headers.filter(([name]) => name.toLowerCase() !== 'content-length');
  return JSON.stringify([status, compared, body.replaceAll(OF_ATTEMPTS, '$1⟨any⟩')]);
}

/** Reads every list and every resource of `holder`. */
export async function snapshotOf({ api, victim, findings }: Scene, { party, held }: Holder): Promise<Snapshot> {
  const [server = ''] = api.servers;
  const snapshot = new Map<string, string>();
  for (const operation of api.operations.filter(({ method }) => method === 'GET')) {
    const limit = operation.parameters.find(({ name }) => name === 'limit')?.schema.maximum;
    const parameters = limit === undefined ? {} : { limit: `${limit}` };
    const all = operation.path.includes('{')
      ? held.filter(({ family }) => family.operations.includes(operation))
      : [undefined];
    for (const each of all) {
      const request = requestOf(operation, { server, id: each?.id, parameters });
      const response = await party.send(request);
      const name = each ? `${operation.id} of ${each.id}, ${each.state}` : operation.id;
      snapshot.set(name, textOf(response));
      if (party === victim.party) continue;
      for (const secret of leakedSecrets(victim.party, request, response)) {
        findings.add(`${operation.id} by ${party.owner}`, `tells ${secret}`, name);
      }
    }
  }
  return snapshot;
}

/** Reports changes since an earlier snapshot. */
export async function compareWith(before: Snapshot, scene: Scene, holder: Holder): Promise<void> {
  const after = await snapshotOf(scene, holder);
  for (const [name, was] of before) {
    const is = after.get(name);
    if (is !== was) scene.findings.add(`${name} by ${holder.party.owner}`, `${is} instead of ${was}`, 'a read');
  }
}
