import type { Operation } from '../fuzz/operations.ts';
import { at, listAt } from '../json.ts';
import { isDone, jsonOf } from './exchange.ts';
import { requestOf } from './party.ts';
import type { Holder, Scene } from './scene.ts';
import { told } from './secrets.ts';

/** Lets strangers go on in their own lists from where the victim's pages end. */
export async function probeForeignCursors(scene: Scene): Promise<void> {
  const lists = scene.api.operations.filter(({ method, path }) => method === 'GET' && !path.includes('{'));
  for (const operation of lists) {
    for (const stranger of scene.strangers) {
      for (const cursor of scene.cursors[operation.path] ?? []) await goOn(scene, operation, stranger, cursor);
    }
  }
}

async function goOn(
  { api, victim, findings }: Scene,
  operation: Operation,
  { party, held }: Holder,
  after: string,
): Promise<void> {
  const asked = requestOf(operation, { server: api.servers[0] ?? '', query: { after } });
  const answer = await party.ask(asked);
  const found = (what: string) =>
    findings.add(`${operation.id} by ${party.owner} from the victim's cursor`, what, after);
  for (const secret of told(victim.party, asked, answer)) found(`tells ${secret}`);
  if (!isDone(answer)) return found(`status ${answer.status}`);
  const own: readonly unknown[] = held
    .filter(({ family }) => family.collection === operation.path)
    .flatMap(({ id, made }) => [id, made]);
  const shown = listAt(jsonOf(answer), 'data').map((row) => at(row, 'id'));
  // What the stranger has was there before, and the newest come first.
  if (shown.length === 0 && own.length > 0) found('shows nothing of what follows');
  const foreign = shown.filter((id) => !own.includes(id));
  if (foreign.length > 0) found(`shows ${foreign.join(', ')}`);
}
