import { setTimeout as sleep } from 'node:timers/promises';
import { at, isRecord, listAt, textAt } from '../fixtures/json.ts';
import type { Operation } from '../hostile/operations.ts';
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
  /** Operations after its creation. */
  readonly changes: readonly Change[];
  readonly isGone: boolean;
  /** Ids in the lists of the resource, and in the lists at the paths of its operations. */
  readonly listed: Listed;
}

interface Change {
  readonly operation: Operation;
  readonly example: Filled['body'];
  readonly parameters: Filled['parameters'];
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
      const listedOf = async ({ id, listed }: Held): Promise<Listed> => {
        const names = listedIdsOf(api, operation);
        const isList = api.operations.some(({ method, path }) => method === 'GET' && path === operation.path);
        if (names.length === 0 || !isList) return listed;
        // What happens to other resources fills the lists of this one.
        for (const other of families.filter((each) => each !== family && held.some((one) => one.family === each))) {
          const others = sourceOf(families, party, held);
          for (let count = 0; count < LISTED_MIN; count += 1)
            held.push(await create(other, party, server, others, 'required'));
        }
        return await readListed(operation, party, { server, id }, names);
      };
      const apply = async (each: Operation, example: Filled['body'], before: Held) =>
        await change(each, example, party, server, before, await listedOf(before));
      held.push(...(await changeEach(operation, family, party, fresh, apply)));
    }
  }
  return held;
}

/** Creates one resource for each example of an operation on it, after another operation if it needs one. */
async function changeEach(
  operation: Operation,
  { operations }: Family,
  { owner }: Party,
  fresh: () => Promise<Held>,
  apply: (operation: Operation, example: Filled['body'], before: Held) => Promise<Held | ProbeResponse>,
): Promise<readonly Held[]> {
  let refusal: ProbeResponse | undefined;
  for (const first of [undefined, ...operations.filter((each) => !isRead(each) && each.method !== 'DELETE')]) {
    const changed: Held[] = [];
    for (const example of examplesOf(operation)) {
      const created = await fresh();
      const before = first ? await apply(first, examplesOf(first)[0], created) : created;
      const after = 'status' in before ? before : await apply(operation, example, before);
      if ('status' in after) refusal ??= after;
      else changed.push(after);
    }
    if (changed.length > 0) return changed;
  }
  throw refusal ? refused(operation, owner, refusal) : new Error(`${operation.id} has no example`);
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
  const parameters = keyFor(creation, party);
  const filled = { server, parameters, ...(creation.body && { body: inJson(creation, body) }) };
  const response = await expectDone(creation, party, filled);
  const shown = jsonOf(response);
  const state = members === 'all' ? 'in full' : 'barely';
  const [etag, keys] = [headerOf(response, 'etag'), Object.values(parameters)];
  return {
    family,
    id: textAt(shown, 'id'),
    state,
    body,
    shown,
    etag,
    keys,
    changes: [],
    isGone: false,
    listed: partsIn(shown),
  };
}

/** Changes one resource by an operation; returns the response instead of the resource if it has no effect. */
async function change(
  operation: Operation,
  example: Filled['body'],
  party: Party,
  server: string,
  before: Held,
  listed: Listed,
): Promise<Held | ProbeResponse> {
  const parameters = keyFor(operation, party);
  const filled = { server, id: before.id, ...withListed(example, listed, parameters) };
  const response = await party.send(requestOf(operation, filled));
  if (!isDone(response)) return response;
  // What an operation creates is another resource.
  const isOfIt = response.status !== 201 && response.body !== '';
  const shown = isOfIt ? jsonOf(response) : before.shown;
  return {
    ...before,
    state:
      `${before.changes.length === 0 ? '' : `${before.state}, `}after ${operation.id} ${example?.text ?? ''}`.trim(),
    shown,
    etag: (isOfIt ? headerOf(response, 'etag') : undefined) ?? before.etag,
    keys: [...before.keys, ...Object.values(parameters)],
    changes: [...before.changes, { operation, example, parameters }],
    isGone: operation.method === 'DELETE',
    listed: { ...listed, ...partsIn(shown) },
  };
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

/** Returns a request with the first listed id in place of each id of the example, and in the path. */
export function withListed(
  example: Filled['body'],
  listed: Listed,
  others: Filled['parameters'] = {},
): Pick<Filled, 'body' | 'parameters'> {
  const firsts = Object.entries(listed).flatMap(([name, [first]]) =>
    first === undefined ? [] : [[name, first] as const],
  );
  const ids: Readonly<Record<string, string>> = Object.fromEntries(firsts);
  const parameters = { ...ids, ...others };
  if (!example) return { parameters };
  const members: unknown = JSON.parse(example.text, (name, member: unknown) => ids[name] ?? member);
  return { parameters, body: { ...example, text: JSON.stringify(members) } };
}

/** Returns the ids of the parts of a resource: an `item_id` is the id of one of its `items`. */
export function partsIn(shown: unknown): Listed {
  const lists = Object.entries(isRecord(shown) ? shown : {}).flatMap(([name, list]) => {
    const ids = (Array.isArray(list) ? list : []).map((part) => at(part, 'id'));
    return [[`${name.replace(/s$/, '')}_id`, ids.filter((id) => typeof id === 'string')] as const];
  });
  return Object.fromEntries(lists.filter(([, ids]) => ids.length > 0));
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
