import type { Operation } from '../fuzz/operations.ts';
import { at, listAt } from '../fixtures/json.ts';
import { isDone, jsonOf } from './exchange.ts';
import { requestOf } from './party.ts';
import type { Holder, Scene } from './scene.ts';
import { leakedSecrets } from './secrets.ts';

/** Continues the lists of other owners at the cursors of the victim. */
export async function probeForeignCursors(scene: Scene): Promise<void> {
  const lists = scene.api.operations.filter(({ method, path }) => method === 'GET' && !path.includes('{'));
  for (const operation of lists) {
    for (const other of scene.others) {
      for (const cursor of scene.cursors[operation.path] ?? []) await goOn(scene, operation, other, cursor);
    }
  }
}

async function goOn(
  { api, victim, findings }: Scene,
  operation: Operation,
  { party, held }: Holder,
  after: string,
): Promise<void> {
  const request = requestOf(operation, { server: api.servers[0] ?? '', query: { after } });
  const own: ReadonlySet<unknown> = new Set(party.secrets);
  const response = await party.send(request);
  const found = (what: string) =>
    findings.add(`${operation.id} by ${party.owner} from the victim's cursor`, what, after);
  for (const secret of leakedSecrets(victim.party, request, response)) found(`tells ${secret}`);
  // A feed checks the event at a cursor, which the other owner does not have.
  if (response.status === 410) return;
  if (!isDone(response)) return found(`status ${response.status}`);
  const shown = listAt(jsonOf(response), 'data').map((row) => at(row, 'id'));
  // The resources of the other owner are older, and lists start with the newest.
  const hasSome = held.some(({ family }) => family.collection === operation.path);
  if (shown.length === 0 && hasSome) found('shows nothing of what follows');
  const foreign = shown.filter((id) => !own.has(id));
  if (foreign.length > 0) found(`shows ${foreign.join(', ')}`);
}
