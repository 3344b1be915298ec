import { randomUUID } from 'node:crypto';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { at } from '../fixtures/json.ts';

/** The seeded leak of parcels. */
export type Leak =
  | 'nothing'
  | 'reads'
  | 'changes'
  | 'attempts'
  | 'deletions'
  | 'lists'
  | 'filters'
  | 'cursors'
  | 'customers'
  | 'keys'
  | 'used keys'
  | 'labels';

interface Parcel {
  readonly owner: string;
  readonly id: string;
  readonly label: string;
  readonly customer_id: string | null;
}

const ID = { name: 'id', in: 'path', required: true, schema: { type: 'string', format: 'uuid' } };
const KEY = { name: 'Idempotency-Key', in: 'header', schema: { type: 'string' } };
const QUERY = [
  { name: 'label', in: 'query', schema: { type: 'string' } },
  { name: 'limit', in: 'query', schema: { type: 'integer', minimum: 1, maximum: 100 } },
  { name: 'after', in: 'query', schema: { type: 'string' } },
];
const properties = {
  label: { type: 'string', minLength: 1, maxLength: 40 },
  customer_id: { type: ['string', 'null'], format: 'uuid', minLength: 36, maxLength: 36 },
};
const responses = { 200: { description: 'Done' } };

/** The request body of the document. */
function bodyOf(required: readonly string[], example: object): unknown {
  const schema = { type: 'object', additionalProperties: false, properties, required };
  return { content: { 'application/json': { schema, examples: { unaddressed: { value: example } } } } };
}

/** Description of parcels in the document. */
export const PARCEL_PATHS = {
  '/parcels': {
    get: { operationId: 'list_parcels', parameters: QUERY, responses },
    post: {
      operationId: 'create_parcel',
      parameters: [KEY],
      requestBody: bodyOf(['label'], { label: 'One' }),
      responses,
    },
  },
  '/parcels/{id}': {
    get: { operationId: 'get_parcel', parameters: [ID], responses },
    patch: {
      operationId: 'change_parcel',
      parameters: [ID],
      requestBody: bodyOf([], { customer_id: null }),
      responses,
    },
    delete: { operationId: 'delete_parcel', parameters: [ID], responses },
  },
};

/** Serves an in-memory collection of parcels. */
export function serveParcels(
  app: FastifyInstance,
  leak: Leak,
  ownerOf: (request: FastifyRequest) => string,
  hasCustomer: (owner: string, id: string) => Promise<boolean>,
): void {
  // The newest first.
  const parcels: Parcel[] = [];
  const results = new Map<string, Parcel>();
  const indexOf = (request: FastifyRequest, shared: Leak) => {
    const id = String(at(request.params, 'id')).toLowerCase();
    return parcels.findIndex((each) => each.id === id && (leak === shared || each.owner === ownerOf(request)));
  };
  const isKnownTo = async (owner: string, id: string) =>
    (await hasCustomer(owner, id)) || (leak === 'customers' && (await hasCustomer('victim', id)));
  /** Returns the status of a rejection. */
  const check = async ({ owner, id, label, customer_id }: Parcel): Promise<number | undefined> => {
    const isKnown = customer_id === null || (await isKnownTo(owner, customer_id));
    const others = parcels.filter((each) => each.id !== id && (leak === 'labels' || each.owner === owner));
    if (isKnown) return others.some((each) => each.label === label) ? 409 : undefined;
    return 422;
  };

  app.post('/v1/parcels', async (request, reply) => {
    const owner = ownerOf(request);
    const key = `${leak === 'keys' ? '' : owner} ${String(request.headers['idempotency-key'] ?? randomUUID())}`;
    const done = results.get(key);
    if (done) return await reply.header('idempotent-replayed', 'true').send(shown(done));
    const parcel = changed({ owner, id: randomUUID(), label: '', customer_id: null }, request.body);
    const refusal = parcel ? await check(parcel) : 422;
    const isUsed = leak === 'used keys' && [...results.keys()].some((other) => other.endsWith(key.slice(owner.length)));
    if (refusal === 409 && isUsed) return await reply.code(422).send({ code: 'idempotency_key_reused' });
    if (!parcel || refusal !== undefined) return await reply.code(refusal ?? 422).send({});
    parcels.unshift(parcel);
    results.set(key, parcel);
    return await reply.send(shown(parcel));
  });

  app.patch('/v1/parcels/:id', async (request, reply) => {
    const index = indexOf(request, 'changes');
    const before = parcels[index];
    if (leak === 'attempts' && !before) {
      parcels.unshift({ owner: ownerOf(request), id: randomUUID(), label: randomUUID(), customer_id: null });
    }
    if (!before) return await reply.code(404).send({});
    const parcel = changed(before, request.body);
    const refusal = parcel ? await check(parcel) : 422;
    if (!parcel || refusal !== undefined) return await reply.code(refusal ?? 422).send({});
    parcels[index] = parcel;
    return await reply.send(shown(parcel));
  });

  app.get('/v1/parcels/:id', (request, reply) => {
    const parcel = parcels[indexOf(request, 'reads')];
    void (parcel ? reply.send(shown(parcel)) : reply.code(404).send({}));
  });

  app.delete('/v1/parcels/:id', (request, reply) => {
    const index = indexOf(request, 'deletions');
    const isOwn = parcels[index]?.owner === ownerOf(request);
    if (index >= 0) parcels.splice(index, 1);
    void reply.code(isOwn ? 200 : 404).send({});
  });

  app.get('/v1/parcels', (request, reply) => {
    const [label, limit, after] = ['label', 'limit', 'after'].map((name) => at(request.query, name));
    const shared =
      leak === 'lists' || (leak === 'filters' && label !== undefined) || (leak === 'cursors' && after !== undefined);
    const rest = parcels
      .slice(parcels.findIndex(({ id }) => id === after) + 1)
      .filter((each) => (shared || each.owner === ownerOf(request)) && (label === undefined || each.label === label));
    const data = rest.slice(0, Number(limit ?? 20)).map(shown);
    const next = data.length < rest.length ? data.at(-1)?.id : null;
    void reply.send({ data, page: { next_cursor: next } });
  });
}

function shown({ id, label, customer_id }: Parcel) {
  return { id, label, customer_id };
}

/** Returns a parcel with the members of a body, or `undefined` if the body is invalid. */
function changed(before: Parcel, body: unknown): Parcel | undefined {
  const label = at(body, 'label') ?? before.label;
  const customer_id = at(body, 'customer_id') ?? before.customer_id;
  const isParcel =
    typeof label === 'string' && label !== '' && (typeof customer_id === 'string' || customer_id === null);
  return isParcel ? { ...before, label, customer_id } : undefined;
}
