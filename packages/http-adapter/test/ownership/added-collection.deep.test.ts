import { describe, expect, it } from 'vitest';
import { at, isRecord } from '../json.ts';
import { type Added, aProbedApi } from './a-probed-api.ts';
import { type Leak, PARCEL_PATHS, serveParcels } from './parcels.ts';
import { probeOwnership } from './probe.ts';

type Paths = Readonly<Record<string, unknown>>;

/** A collection that the probe has not heard of, beside what the document needs for it to be probed. */
function withParcels(leak: Leak, paths: (own: Paths) => Paths = (own) => own): Added {
  return {
    document: (own) => ({
      servers: [{ url: '/v1' }],
      components: at(own, 'components'),
      paths: paths({
        ...PARCEL_PATHS,
        '/customers': { post: at(own, 'paths', '/customers', 'post') },
        '/customers/{id}': { get: at(own, 'paths', '/customers/{id}', 'get') },
      }),
    }),
    routes: (app, domain, ownerOf) => {
      serveParcels(app, leak, ownerOf, async (owner, id) => (await domain.getCustomer(owner, id)).isOk());
    },
  };
}

function without(paths: Paths, name: string): Paths {
  return Object.fromEntries(Object.entries(paths).filter(([path]) => path !== name));
}

/** One of the operations, with other `members`. */
function like(paths: Paths, method: string, members: Readonly<Record<string, unknown>>): unknown {
  const operation = at(paths, '/parcels/{id}', method);
  return { [method]: { ...(isRecord(operation) ? operation : {}), ...members } };
}

async function findingsOf(leak: Leak): Promise<readonly string[]> {
  const { server } = await aProbedApi(withParcels(leak));
  return (await probeOwnership(server)).findings;
}

describe('a collection that is added', () => {
  it('is probed, and found to be good when it is each owner’s alone', async () => {
    const { server } = await aProbedApi(withParcels('nothing'));
    const { operations, findings } = await probeOwnership(server);
    expect(findings).toEqual([]);
    expect(operations).toEqual(['get_customer', 'get_parcel', 'change_parcel', 'delete_parcel']);
  });

  it.each<[string, Leak, RegExp]>([
    ['lets others read', 'reads', /^get_parcel by newcomer: status 200, not 404/],
    ['lets others change', 'changes', /^change_parcel by newcomer: status 200, not 404/],
    ['lets others delete', 'deletions', /^get_parcel of .* by victim: .*as before/],
    ['keeps what others attempt', 'attempts', /^list_parcels by newcomer: .* as before/],
    ['lists what others have', 'lists', /^list_parcels by newcomer: tells victim-/],
    ['lets others filter', 'filters', /^list_parcels by newcomer: (body|headers) /],
    ['tells others how long a page is', 'cursors', /^list_parcels by newcomer from the victim's cursor: shows /],
    ['lets others name its customers', 'customers', /^create_parcel by newcomer: status 200, not 422/],
    ['repeats to others', 'keys', /^create_parcel by newcomer, as the victim did before: is replayed/],
    ['tells others that a key is used', 'used keys', /^create_parcel once more by neighbour: status 422, not 409/],
    ['keeps its labels from others', 'labels', /^create_parcel by newcomer, as the victim did before: status 409/],
    ['keeps its labels from changes of others', 'labels', /^change_parcel by neighbour, as .* before: status 409/],
  ])('is found out when it %s', async (_, leak, leakedSecrets) => {
    expect(await findingsOf(leak)).toContainEqual(expect.stringMatching(leakedSecrets));
  });
});

describe('a document with something that the probe would pass over', () => {
  const bodyWithoutExample = {
    content: { 'application/json': { schema: { type: 'object', additionalProperties: false } } },
  };

  it.each<[string, (own: Paths) => Paths, RegExp]>([
    ['a resource that nothing creates', (own) => without(own, '/parcels'), /no POST \/parcels/],
    [
      'a path with two ids',
      (own) => ({ ...own, '/parcels/{id}/labels/{label}': like(own, 'get', { operationId: 'get_label' }) }),
      /does not know what get_label takes/,
    ],
    [
      'an id that is no UUID',
      (own) => ({ ...own, '/parcels/{label}': like(own, 'get', { operationId: 'find_parcel', parameters: [] }) }),
      /does not know what find_parcel takes/,
    ],
    [
      'an id of something else',
      (own) => without(without(own, '/customers/{id}'), '/customers'),
      /does not know whose id customer_id is/,
    ],
    [
      'a body without an example',
      (own) => ({ ...own, '/parcels/{id}': like(own, 'patch', { requestBody: bodyWithoutExample }) }),
      /no example for change_parcel/,
    ],
    [
      'an operation that does nothing for anybody',
      (own) => ({ ...own, '/parcels/{id}/label': like(own, 'get', { operationId: 'get_label' }) }),
      /get_label was refused neighbour with 404/,
    ],
    [
      'a change that changes nothing of anybody',
      (own) => ({ ...own, '/parcels/{id}/label': like(own, 'delete', { operationId: 'delete_label' }) }),
      /delete_label was refused neighbour with 404/,
    ],
    ['a method of its own', (own) => ({ ...own, '/parcels/{id}': { put: {} } }), /do not know the method put/],
    ['no id at all', (own) => without(without(own, '/customers/{id}'), '/parcels/{id}'), /no operation with an id/],
  ])('stops it: %s', async (_, paths, error) => {
    const { server } = await aProbedApi(withParcels('nothing', paths));
    await expect(probeOwnership(server)).rejects.toThrow(error);
  });
});
