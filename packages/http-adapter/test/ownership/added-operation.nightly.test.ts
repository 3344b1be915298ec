import type { Order } from '@orders/domain';
import type { FastifyReply } from 'fastify';
import { describe, expect, it } from 'vitest';
import { at, isRecord } from '../fixtures/json.ts';
import { type Added, aProbedApi } from './a-probed-api.ts';
import { probeOwnership } from './probe.ts';

/** Responds to the id of an order of another owner, or to a nonexistent id. */
type Refuse = (reply: FastifyReply, order: Order | undefined, version?: string) => FastifyReply;

const refuse: Refuse = (reply) => reply.code(404).header('cache-control', 'no-store').send({ detail: 'None.' });

const ID = { name: 'id', in: 'path', required: true, schema: { type: 'string', format: 'uuid' } };
const VERSION = { name: 'version', in: 'path', required: true, schema: { type: 'integer', minimum: 1, maximum: 9 } };

/** Adds a new operation on orders to the API and to its document. */
function withHistory(refuseForeign: Refuse): Added {
  return {
    document: (own) => {
      const cancellation = at(own, 'paths', '/orders/{id}/cancel', 'post');
      return {
        components: at(own, 'components'),
        servers: at(own, 'servers'),
        paths: {
          '/customers': { post: at(own, 'paths', '/customers', 'post') },
          '/customers/{id}': {
            parameters: at(own, 'paths', '/customers/{id}', 'parameters'),
            get: at(own, 'paths', '/customers/{id}', 'get'),
          },
          '/orders': { post: at(own, 'paths', '/orders', 'post') },
          '/orders/{id}/cancel': { post: { ...(isRecord(cancellation) ? cancellation : {}), parameters: [ID] } },
          '/orders/{id}/history': {
            get: {
              operationId: 'get_order_history',
              parameters: [ID],
              responses: { 200: { description: 'What happened to it' } },
            },
          },
          '/orders/{id}/history/{version}': {
            get: {
              operationId: 'get_order_history_at',
              parameters: [ID, VERSION],
              responses: { 200: { description: 'What happened to it then' } },
            },
          },
        },
      };
    },
    routes: (app, domain, ownerOf) => {
      const paths = ['/orders/:id/history', '/orders/:id/history/:version'];
      for (const url of paths.flatMap((path) => [`/v1${path}`, path])) {
        app.get<{ Params: { id: string; version?: string } }>(url, async (request, reply) => {
          const id = request.params.id.toLowerCase();
          const own = await domain.getOrder(ownerOf(request), id);
          if (own.isOk()) return reply.send([own.value.created_at]);
          const foreign = await domain.getOrder('victim', id);
          return refuseForeign(reply, foreign.unwrapOr(undefined), request.params.version);
        });
      }
    },
  };
}

async function findingsOf(refuseForeign: Refuse): Promise<readonly string[]> {
  const { server } = await aProbedApi(withHistory(refuseForeign));
  const { operations, findings } = await probeOwnership(server);
  expect(operations).toContain('get_order_history');
  return findings;
}

describe('an added operation', () => {
  it('passes the probe if it reveals nothing', async () => {
    expect(await findingsOf(refuse)).toEqual([]);
  });

  it.each<[string, Refuse, RegExp]>([
    [
      'another status',
      (reply, order) => reply.code(order ? 403 : 404).send({ detail: 'None.' }),
      /status 403, not 404/,
    ],
    [
      'an entity tag',
      (reply, order) => refuse(order ? reply.header('etag', `"${order.version}-1"`) : reply, order),
      /headers .*etag/,
    ],
    [
      "the order's status",
      (reply, order) => reply.code(404).send({ detail: order ? `It is ${order.status}.` : 'None.' }),
      /body .*It is pending/,
    ],
    [
      "the order's customer",
      (reply, order) => reply.code(404).send({ detail: 'None.', customer_id: order?.customer_id ?? null }),
      /tells 019b0000-/,
    ],
    ['the order', (reply, order) => (order ? reply.send(order) : refuse(reply, order)), /tells victim-/],
    [
      'only a cancelled order',
      (reply, order) =>
        order?.status === 'cancelled' ? reply.code(410).send({ detail: 'None.' }) : refuse(reply, order),
      /status 410, not 404/,
    ],
    [
      'only its second version',
      (reply, order, version) =>
        order && version === '2' ? reply.code(410).send({ detail: 'None.' }) : refuse(reply, order),
      /^get_order_history_at .*status 410, not 404/,
    ],
  ])('fails the probe if it reveals %s', async (_, refuseForeign, leakedSecrets) => {
    const findings = await findingsOf(refuseForeign);
    expect(findings).toContainEqual(expect.stringMatching(leakedSecrets));
    expect(findings.filter((finding) => !finding.startsWith('get_order_history'))).toEqual([]);
  });
});
