import { setTimeout as sleep } from 'node:timers/promises';
import { listAt, textAt } from '../fixtures/json.ts';
import type { Operation } from '../fuzz/operations.ts';
import { aBody, type Source } from './bodies.ts';
import { type ProbeResponse, headerOf, isDone, jsonOf } from './exchange.ts';
import { type ApiShape, type Family, findFamily, listedIdsOf } from './families.ts';
import { type Filled, inJson, type Party, refused, requestOf } from './party.ts';

/** A resource of an owner. */
export interface Held {
  readonly family: Family;
  readonly id: string;
  /** Description of its history. */
  readonly state: string;
  /** Body of its creation. */
  readonly body: unknown;
  /** Body of the last response about it. */
  readonly shown: unknown;
  readonly etag: string | undefined;
  /** Idempotency keys of its requests. */
  readonly keys: readonly string[];
  /** Operation after its creation, if any. */
  readonly change: { readonly operation: Operation; readonly body: Filled['body'] } | undefined;
  readonly isGone: boolean;
  /** Ids in the lists of the resource that its operation refers to, by their name. */
  readonly listed: Listed;
  /** Id of another resource of the family that the operation created, if any. */
  readonly made: string | undefined;
}

/** Ids by their name, such as `event_id`. */
type Listed = Readonly<Record<string, readonly string[]>>;

/**
 * Creates resources of every family for an owner: minimal, complete, and one for each operation on them. This proves
 * that every operation has an effect for the owner.
 *
 * @throws {Error} if an operation has no effect, because its rejection for others would then prove nothing
 */
export async function fillHoldings(api: ApiShape, party: Party): Promise<readonly Held[]> {
  const { servers, families } = api;
  const [server = ''] = servers;
  const held: Held[] = [];
  for (const family of families) {
    const source = sourceOf(families, party, held);
    const fresh = () => create(family, party, server, source, 'all');
    const full = await fresh();
    held.push(await create(family, party, server, source, 'required'), full);
    const [reads, changes] = [family.operations.filter(isRead), family.operations.filter((each) => !isRead(each))];
    for (const operation of reads) await expectDone(operation, party, { server, id: full.id });
    for (const operation of changes) {
      const listedOf = async (id: string): Promise<Listed> => {
        const names = listedIdsOf(api, operation);
        if (names.length === 0) return {};
        // What happens to other resources fills the lists of this one.
        for (const other of families.filter((each) => each !== family && held.some((one) => one.family === each))) {
          const others = sourceOf(families, party, held);
          for (let count = 0; count < LISTED_MIN; count += 1)
            held.push(await create(other, party, server, others, 'required'));
        }
        return await readListed(operation, party, { server, id }, names);
      };
      held.push(...(await changeEach(operation, party, server, fresh, listedOf)));
    }
  }
  return held;
}

/** Values with unique texts and ids of the owner. */
export function sourceOf(families: readonly Family[], { text }: Party, held: readonly Held[]): Source {
  return {
    text,
    id: (name) => {
      const family = findFamily(families, name);
      if (!family) return held.flatMap(({ listed }) => listed[name] ?? [])[0] ?? null;
      return held.find((each) => each.family === family && each.state === 'in full')?.id ?? null;
    },
  };
}

/** Creates a resource; see {@link aBody} for its members. */
async function create(
  family: Family,
  party: Party,
  server: string,
  source: Source,
  members: 'all' | 'required',
): Promise<Held> {
  const { creation } = family;
  const body = creation.body && aBody(creation.body.schema, source, members);
  const headers = keyFor(creation, party);
  const filled = { server, headers, ...(creation.body && { body: inJson(creation, body) }) };
  const response = await expectDone(creation, party, filled);
  const shown = jsonOf(response);
  const state = members === 'all' ? 'in full' : 'barely';
  const [etag, keys] = [headerOf(response, 'etag'), Object.values(headers)];
  return {
    family,
    id: textAt(shown, 'id'),
    state,
    body,
    shown,
    etag,
    keys,
    change: undefined,
    isGone: false,
    listed: {},
    made: undefined,
  };
}

/** Creates one resource for each example of an operation on it. */
async function changeEach(
  operation: Operation,
  party: Party,
  server: string,
  fresh: () => Promise<Held>,
  listedOf: (id: string) => Promise<Listed>,
): Promise<readonly Held[]> {
  const changed: Held[] = [];
  let last: ProbeResponse | undefined;
  for (const example of examplesOf(operation)) {
    const before = await fresh();
    const listed = await listedOf(before.id);
    const body = example && withListed(example, listed);
    const headers = keyFor(operation, party);
    last = await party.send(requestOf(operation, { server, id: before.id, headers, body }));
    if (!isDone(last)) continue;
    const made = last.status === 201 ? textAt(jsonOf(last), 'id') : undefined;
    const isOfIt = made === undefined && last.body !== '';
    changed.push({
      ...before,
      state: `after ${operation.id} ${body?.text ?? ''}`.trim(),
      shown: isOfIt ? jsonOf(last) : before.shown,
      etag: (isOfIt ? headerOf(last, 'etag') : undefined) ?? before.etag,
      keys: [...before.keys, ...Object.values(headers)],
      change: { operation, body },
      isGone: operation.method === 'DELETE',
      listed,
      made,
    });
  }
  if (last && changed.length === 0) throw refused(operation, party.owner, last);
  return changed;
}

/** Minimum number of elements of a list that an operation refers to, so that the list has a further page. */
const LISTED_MIN = 2;

/** Reads the ids in the list at the path of an operation, which a process in the background may fill. */
async function readListed(
  { path }: Operation,
  party: Party,
  { server, id }: { readonly server: string; readonly id: string },
  names: readonly string[],
): Promise<Listed> {
  const until = performance.now() + LISTED_WITHIN_MS;
  for (;;) {
    const url = `${server}${path.replace(/\{[^}]*\}/, id)}`;
    const elements = listAt(jsonOf(await party.send({ method: 'GET', url, headers: {} })), 'data');
    if (elements.length >= LISTED_MIN)
      return Object.fromEntries(names.map((name) => [name, elements.map((element) => textAt(element, name))]));
    if (performance.now() > until) throw new Error(`the probe cannot fill the list ${url}`);
    await sleep(50);
  }
}

const LISTED_WITHIN_MS = 10_000;

/** Returns a body with the first listed id in place of each id of the example. */
function withListed({ type, text }: NonNullable<Filled['body']>, listed: Listed): Filled['body'] {
  const members: unknown = JSON.parse(text, (name, member: unknown) => listed[name]?.[0] ?? member);
  return { type, text: JSON.stringify(members) };
}

/** Returns the example bodies of an operation, or `undefined` for one without a body. */
export function examplesOf(operation: Operation): readonly Filled['body'][] {
  const { body } = operation;
  if (!body) return [undefined];
  if (body.examples.length === 0) throw new Error(`the document has no example for ${operation.id}`);
  return body.examples.map((example) => inJson(operation, example));
}

/** Returns a new idempotency key, if the operation accepts one. */
function keyFor({ parameters }: Operation, { text }: Party): Readonly<Record<string, string>> {
  return parameters.some(({ name }) => name === 'Idempotency-Key') ? { 'Idempotency-Key': text() } : {};
}

function isRead({ method }: Operation): boolean {
  return method === 'GET' || method === 'HEAD';
}

async function expectDone(operation: Operation, party: Party, filled: Filled): Promise<ProbeResponse> {
  const response = await party.send(requestOf(operation, filled));
  if (isDone(response)) return response;
  throw refused(operation, party.owner, response);
}
