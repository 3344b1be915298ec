import type { WebhookEndpoint, WebhookEndpointEvent, WebhookEndpointRepository } from '@orders/domain/webhooks';
import { err, ok, ResultAsync } from 'neverthrow';
import { toWebhookEndpoint, type WebhookEndpointRow } from '../../src/webhooks/webhook-endpoint-row.ts';
import { execute } from '../execute.ts';

/** Returns a literal of SQL. */
const q = (v: unknown): string =>
  v === null ? 'null' : `'${(typeof v === 'string' ? v : JSON.stringify(v)).replaceAll("'", "''")}'`;

/** Returns endpoints that are stored by SQL, with their change records. Not safe beside another write of the same endpoint. */
export function storedEndpoints(url: string): WebhookEndpointRepository {
  const record = (owner: string, e: WebhookEndpoint, event: WebhookEndpointEvent) => `insert into changes
    (owner_id, aggregate, aggregate_id, version, event_id, type, changed, occurred_at, actor, snapshot, snapshot_format, items, position)
    values (${q(owner)}, 'webhook_endpoint', ${q(e.id)}, ${e.version}, null, null, ${q(event.changed)}, ${q(e.updated_at)}, null, '{}', 1, null, null)`;
  const find = async (owner: string, id: string): Promise<WebhookEndpoint | null> => {
    const [row] = await execute<WebhookEndpointRow>(
      url,
      `select id, url, types, include, description, status, disabled_reason, secrets, start, version, created_at::text as created_at, updated_at::text as updated_at from webhook_endpoints where owner_id = ${q(owner)} and id = ${q(id)}`,
    );
    return row ? toWebhookEndpoint(row) : null;
  };
  const run = <T>(work: () => Promise<T>) => new ResultAsync(work().then((v) => ok(v)));
  return {
    insert: (owner, { endpoint: e, event }) =>
      run(async () => {
        await execute(
          url,
          `insert into webhook_endpoints select ${q(owner)}, ${q(e.id)}, ${q(e.url)}, ${q(e.types)}::json, ${q(e.include)}, ${q(e.description)}, ${q(e.status)}, ${q(e.disabled_reason)}, ${q(e.secrets)}, ${e.start}, (select count(*) + 1 from webhook_endpoints where owner_id = ${q(owner)}), ${e.version}, ${q(e.created_at)}, ${q(e.updated_at)}; ${record(owner, e, event)}`,
        );
        return { endpoint: e, event, replayed: false };
      }),
    find: (owner, id) =>
      new ResultAsync(
        find(owner, id).then((e) => (e ? ok(e) : err({ type: 'webhook_endpoint_not_found', id } as const))),
      ),
    list: () => {
      throw new Error('the contract of the queue lists no endpoints');
    },
    update: (owner, id, change) =>
      new ResultAsync(
        (async () => {
          const before = await find(owner, id);
          if (!before) return err({ type: 'webhook_endpoint_not_found', id } as const);
          const decided = change(before);
          if (decided.isErr()) return err(decided.error);
          const { endpoint: e, event } = decided.value;
          if (event)
            await execute(
              url,
              `update webhook_endpoints set url = ${q(e.url)}, types = ${q(e.types)}, include = ${q(e.include)}, status = ${q(e.status)}, disabled_reason = ${q(e.disabled_reason)}, secrets = ${q(e.secrets)}, version = ${e.version} where owner_id = ${q(owner)} and id = ${q(id)}; ${record(owner, e, event)}`,
            );
          return ok({ endpoint: e, event, replayed: false });
        })(),
      ),
    delete: (owner, id, decide) =>
      new ResultAsync(
        (async () => {
          const before = await find(owner, id);
          if (!before) return err({ type: 'webhook_endpoint_not_found', id } as const);
          const decided = decide(before);
          if (decided.isErr()) return err(decided.error);
          await execute(url, `delete from webhook_endpoints where owner_id = ${q(owner)} and id = ${q(id)}`);
          return ok({ event: decided.value, replayed: false });
        })(),
      ),
  };
}
