import type { WebhookDelivery, WebhookEndpoint } from '@orders/client';
import { Option } from 'commander';
import { OperatorError } from '../../operator-error.ts';
import { type Column, JSON_OUTPUT, printList } from '../list-output.ts';
import { print } from '../print.ts';
import { apiCommand } from './api-command.ts';
import { valueOf } from './error-lines.ts';
import { firstOf, LIMIT, readLimit } from './limit.ts';

const ENDPOINT_COLUMNS: readonly Column<WebhookEndpoint>[] = [
  { header: 'ID', cell: ({ id }) => id },
  { header: 'STATUS', cell: ({ status }) => status },
  { header: 'TYPES', cell: ({ types }) => types?.join(',') ?? 'all' },
  { header: 'URL', cell: ({ url }) => url },
];

const DELIVERY_COLUMNS: readonly Column<WebhookDelivery>[] = [
  { header: 'EVENT', cell: ({ event_id }) => event_id },
  { header: 'TYPE', cell: ({ type }) => type },
  { header: 'STATUS', cell: ({ status }) => status },
  { header: 'ATTEMPTS', cell: ({ attempts }) => String(attempts) },
  { header: 'LAST', cell: ({ last_status, last_error }) => String(last_status ?? last_error ?? '-') },
  { header: 'NEXT', cell: ({ next_attempt_at }) => next_attempt_at ?? '-' },
];

export const listEndpoints = apiCommand({
  usage: 'webhooks list',
  about: 'lists your webhook endpoints, newest first',
  options: [LIMIT, JSON_OUTPUT],
  examples: ['webhooks list'],
  prepare: (args) => {
    const limit = readLimit(args);
    return async (orders, signal) => {
      const found = await firstOf(orders.webhooks.list({ limit: Math.min(limit, 100), signal }), limit);
      await printList(found, ENDPOINT_COLUMNS, args);
    };
  },
});

const STATUSES = ['pending', 'delivered', 'failed'] as const;

export const listDeliveries = apiCommand({
  usage: 'webhooks deliveries <id>',
  about: 'lists the deliveries of a webhook endpoint, newest event first',
  options: [new Option('--status <status>', 'only deliveries in this status').choices(STATUSES), LIMIT, JSON_OUTPUT],
  examples: ['webhooks deliveries 019b2a4e-8f00-7000-8000-000000000001 --status failed'],
  prepare: (args) => {
    const [id = ''] = args.positionals;
    const limit = readLimit(args);
    const status = STATUSES.find((each) => each === args.values['status']);
    return async (orders, signal) => {
      const query = { status, limit: Math.min(limit, 100), signal };
      const found = await firstOf(orders.webhooks.deliveries(id, query), limit);
      await printList(found, DELIVERY_COLUMNS, args);
    };
  },
});

export const redeliver = apiCommand({
  usage: 'webhooks redeliver <id> <event>',
  about: 'delivers an event to a webhook endpoint again',
  examples: ['webhooks redeliver 019b2a4e-8f00-7000-8000-000000000001 019b2a4e-8f00-7000-8000-000000000002'],
  prepare:
    ({ positionals: [id = '', event = ''] }) =>
    async (orders, signal) => {
      const { status, type } = valueOf(await orders.webhooks.redeliver(id, event, { signal }));
      await print(`${event} (${type}) is ${status}\n`);
    },
});

export const testEndpoint = apiCommand({
  usage: 'webhooks test <id>',
  about: 'sends a test message to a webhook endpoint, and fails unless it is accepted',
  examples: ['webhooks test 019b2a4e-8f00-7000-8000-000000000001'],
  prepare:
    ({ positionals: [id = ''] }) =>
    async (orders, signal) => {
      const { status, error, duration_ms } = valueOf(await orders.webhooks.test(id, { signal }));
      if (error !== null) throw new OperatorError([`the endpoint did not accept it: ${status ?? error}`]);
      await print(`accepted with ${status ?? '-'} in ${duration_ms} ms\n`);
    },
});
