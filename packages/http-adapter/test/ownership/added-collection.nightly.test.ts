import { describe, expect, it } from 'vitest';
import { at, isRecord } from '../fixtures/json.ts';
import { type Added, aProbedApi } from './a-probed-api.ts';
import { type Leak, PARCEL_PATHS, serveParcels } from './parcels.ts';
import { probeOwnership } from './probe.ts';

type Paths = Readonly<Record<string, unknown>>;

/** Adds a new collection to the API and to its document. */
function withParcels(leak: Leak, paths: (own: Paths) => Paths = (own) => own): Added {
  return {
    document: (own) => ({
      servers: [{ url: '/v1' }],
      components: at(own, 'components'),
      paths: paths({
        ...PARCEL_PATHS,
        '/customers': { post: at(own, 'paths', '/customers', 'post') },
        '/customers/{id}': {
          parameters: at(own, 'paths', '/customers/{id}', 'parameters'),
          get: at(own, 'paths', '/customers/{id}', 'get'),
        },
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

/** Returns one of the operations with other `members`. */
function like(paths: Paths, method: string, members: Readonly<Record<string, unknown>>): unknown {
  const operation = at(paths, '/parcels/{id}', method);
  return { [method]: { ...(isRecord(operation) ? operation : {}), ...members } };
}

async function findingsOf(leak: Leak): Promise<readonly string[]> {
  const { server } = await aProbedApi(withParcels(leak));
  return (await probeOwnership(server)).findings;
}

describe('an added collection', () => {
  it('passes the probe if it separates owners', async () => {
    const { server } = await aProbedApi(withParcels('nothing'));
    const { operations, findings } = await probeOwnership(server);
    expect(findings).toEqual([]);
    expect(operations).toEqual([
      'get_customer',
      'get_customer_head',
      'get_parcel',
      'get_parcel_head',
      'change_parcel',
      'delete_parcel',
    ]);
  });

  it.each<[string, Leak, RegExp]>([
    ['allows other owners to read', 'reads', /^get_parcel by newcomer: status 200, not 404/],
    ['allows other owners to change', 'changes', /^change_parcel by newcomer: status 200, not 404/],
    ['allows other owners to delete', 'deletions', /^get_parcel of .* by victim: .* instead of /],
    ['stores attempts of other owners', 'attempts', /^list_parcels by newcomer: .* instead of /],
    ['lists resources of other owners', 'lists', /^list_parcels by newcomer: tells victim-/],
    ['filters resources of other owners', 'filters', /^list_parcels by newcomer: (body|headers) /],
    ['reveals the length of a page', 'cursors', /^list_parcels by newcomer from the victim's cursor: shows /],
    ['accepts customers of other owners', 'customers', /^create_parcel by newcomer: status 200, not 422/],
    ['replays to other owners', 'keys', /^create_parcel by newcomer, as the victim did before: is replayed/],
    ['reveals a used key', 'used keys', /^repeated create_parcel by neighbour: status 422, not 409/],
    ['reserves labels across owners', 'labels', /^create_parcel by newcomer, as the victim did before: status 409/],
    ['reserves labels across owners in changes', 'labels', /^change_parcel by neighbour, as .* before: status 409/],
  ])('fails the probe if it %s', async (_, leak, leakedSecrets) => {
    expect(await findingsOf(leak)).toContainEqual(expect.stringMatching(leakedSecrets));
  });
});

describe('a document that the probe does not fully support', () => {
  const bodyWithoutExample = {
    content: { 'application/json': { schema: { type: 'object', additionalProperties: false } } },
  };

  it.each<[string, (own: Paths) => Paths, RegExp]>([
    ['a resource without a creating operation', (own) => without(own, '/parcels'), /no POST \/parcels/],
    [
      'a path with two ids',
      (own) => ({ ...own, '/parcels/{id}/labels/{label}': like(own, 'get', { operationId: 'get_label' }) }),
      /does not know what get_label takes/,
    ],
    [
      'an id that is not a UUID',
      (own) => ({ ...own, '/parcels/{label}': like(own, 'get', { operationId: 'find_parcel', parameters: [] }) }),
      /does not know what find_parcel takes/,
    ],
    [
      'an id of another resource',
      (own) => without(without(own, '/customers/{id}'), '/customers'),
      /does not know whose id customer_id is/,
    ],
    [
      'a body without an example',
      (own) => ({ ...own, '/parcels/{id}': like(own, 'patch', { requestBody: bodyWithoutExample }) }),
      /no example for change_parcel/,
    ],
    [
      'an operation without effect',
      (own) => ({ ...own, '/parcels/{id}/label': like(own, 'get', { operationId: 'get_label' }) }),
      /get_label by neighbour was rejected with 404/,
    ],
    [
      'a change without effect',
      (own) => ({ ...own, '/parcels/{id}/label': like(own, 'delete', { operationId: 'delete_label' }) }),
      /delete_label by neighbour was rejected with 404/,
    ],
    ['an unknown method', (own) => ({ ...own, '/parcels/{id}': { put: {} } }), /do not support the method put/],
    ['no id at all', (own) => without(without(own, '/customers/{id}'), '/parcels/{id}'), /no operation with an id/],
  ])('stops the probe: %s', async (_, paths, error) => {
    const { server } = await aProbedApi(withParcels('nothing', paths));
    await expect(probeOwnership(server)).rejects.toThrow(error);
  });
});
