import type { Operation } from '../hostile/operations.ts';
import { at, listAt } from '../fixtures/json.ts';
import { MADE_UP_IDS, MADE_UP_VALUES, madeUpCursor } from '../fixtures/made-up-cursor.ts';
import { isDone, jsonOf } from './exchange.ts';
import { forAll } from './findings.ts';
import { type Party, requestOf } from './party.ts';
import type { Cursor, Holder, Scene } from './scene.ts';
import { leakedSecrets } from './secrets.ts';

/**
 * Continues the lists of other owners at the cursors of the victim, every list at the cursors of every other one, and every
 * list at made-up cursors.
 */
export async function probeForeignCursors(scene: Scene): Promise<void> {
  const { cursors, others, victim } = scene;
  for (const { operation, id, text } of cursors)
    for (const other of id === undefined ? others : []) await goOn(scene, operation, other, text);
  const pairs = cursors.flatMap((list) => cursors.map((cursor) => [list, cursor] as const));
  await forAll(pairs, ([list, cursor]) => continueElsewhere(scene, list, cursor));
  const madeUp = [
    ...MADE_UP_VALUES.map((value) => ({ 4: value })),
    ...[...MADE_UP_IDS, ...victim.held.map(({ id }) => id)].map((id) => ({ 5: id })),
  ];
  for (const list of new Map(cursors.map((each) => [each.operation.path, each])).values())
    for (const { party } of [victim, ...others])
      await forAll(madeUp, (replaced) => continueAt(scene, party, list, madeUpCursor(list.text, replaced)));
}

/** Continues a list at a made-up cursor. The response shows nothing of another owner, and no fault of the server. */
async function continueAt({ api, victim, findings }: Scene, party: Party, list: Cursor, after: string): Promise<void> {
  const [server = ''] = api.servers;
  const request = requestOf(list.operation, { server, id: list.id, parameters: { after } });
  const response = await party.send(request);
  const found = (what: string) =>
    findings.add(`${list.operation.id} by ${party.owner} at a made-up cursor`, what, after);
  if (response.status >= 500) found(`status ${response.status}`);
  if (party === victim.party) return;
  for (const secret of leakedSecrets(victim.party, request, response)) found(`tells ${secret}`);
}

/** Continues a list of the victim at a cursor of another one, or of the same one of another resource. */
async function continueElsewhere({ api, victim, findings }: Scene, list: Cursor, cursor: Cursor): Promise<void> {
  if (list.operation.path === cursor.operation.path && list.id === cursor.id) return;
  const [server = ''] = api.servers;
  const { status } = await victim.party.send(
    requestOf(list.operation, { server, id: list.id, parameters: { after: cursor.text } }),
  );
  if (status !== 400)
    findings.add(`${list.operation.id} at a cursor of ${cursor.operation.id}`, `status ${status}`, cursor.text);
}

async function goOn(
  { api, victim, findings }: Scene,
  operation: Operation,
  { party, held }: Holder,
  after: string,
): Promise<void> {
  const request = requestOf(operation, { server: api.servers[0] ?? '', parameters: { after } });
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
