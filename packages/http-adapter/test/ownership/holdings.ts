import { textAt } from '../json.ts';
import type { Operation } from '../fuzz/operations.ts';
import { aBody, type Source } from './bodies.ts';
import { type ProbeResponse, headerOf, isDone, jsonOf } from './exchange.ts';
import { type ApiShape, type Family, familyNamed } from './families.ts';
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
  /** Id of another resource of the family that the operation created, if any. */
  readonly made: string | undefined;
}

/**
 * Creates resources of every family for an owner: minimal, complete, and one for each operation on them. This proves
 * that every operation has an effect for the owner.
 *
 * @throws {Error} if an operation has no effect, because its rejection for others would then prove nothing
 */
export async function fillHoldings({ servers, families }: ApiShape, party: Party): Promise<readonly Held[]> {
  const [server = ''] = servers;
  const held: Held[] = [];
  for (const family of families) {
    const source = sourceOf(families, party, held);
    const fresh = () => create(family, party, server, source, 'all');
    const full = await fresh();
    held.push(await create(family, party, server, source, 'required'), full);
    const [reads, changes] = [family.operations.filter(isRead), family.operations.filter((each) => !isRead(each))];
    for (const operation of reads) await expectDone(operation, party, { server, id: full.id });
    for (const operation of changes) held.push(...(await changeEach(operation, party, server, fresh)));
  }
  return held;
}

/** Values with unique texts and ids of the owner. */
export function sourceOf(families: readonly Family[], { text }: Party, held: readonly Held[]): Source {
  return {
    text,
    id: (name) => {
      const family = familyNamed(families, name);
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
    made: undefined,
  };
}

/** Creates one resource for each example of an operation on it. */
async function changeEach(
  operation: Operation,
  party: Party,
  server: string,
  fresh: () => Promise<Held>,
): Promise<readonly Held[]> {
  const changed: Held[] = [];
  let last: ProbeResponse | undefined;
  for (const body of examplesOf(operation)) {
    const before = await fresh();
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
      made,
    });
  }
  if (last && changed.length === 0) throw refused(operation, party.owner, last);
  return changed;
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
