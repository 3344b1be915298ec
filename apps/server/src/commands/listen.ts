import { randomBytes } from 'node:crypto';
import type { OrderDefinition } from '@orders/domain';
import type { FeedEvent } from '@orders/domain/events';
import type { AnyEndpoint, Attempt } from '@orders/domain/webhooks';
import { Option } from 'commander';
import { OperatorError } from '../operator-error.ts';
import type { Arguments, Command } from './command.ts';
import { databaseResult } from './database-result.ts';
import { OWNER, OWNER_FAULT } from './owner.ts';
import { print } from './print.ts';

const SECRET = /^whsec_[A-Za-z0-9+/]{32,}={0,2}$/;

/** The operator chooses the target, so that every address may be reached, and no other work waits behind it. */
const ANY_ADDRESS = { allow: ['0.0.0.0/0', '::/0'], deny: [] };

/**
 * Follows the events of an owner from now on, and posts each to a local program, signed as webhooks are. Each request is
 * sent at most one time: a program that is not running misses it.
 */
export const listen: Command = {
  usage: 'listen',
  records: () => ({ action: 'listen', subject: null }),
  about: 'posts the events of an owner to a local program, as webhooks do; one line per event',
  options: [
    OWNER,
    new Option('--forward-to <url>', 'where they are posted'),
    new Option('--types <type,type>', 'only events of these types'),
    new Option('--secret <secret>', 'what signs them; without it, a new one is made and printed'),
  ],
  examples: [
    'listen --owner shop --forward-to http://127.0.0.1:4000/webhooks',
    'listen --owner shop --forward-to http://127.0.0.1:4000/webhooks --types order.placed,order.cancelled',
  ],
  prepare: async ({ values }, definition) => {
    const { owner, url, types, secret } = await readListenArguments(values, definition);
    return async ({ openFeed }, signal) => {
      const { followEvents, presentEvent, readEvents } = await import('@orders/domain/events');
      const { webhookMessage } = await import('@orders/domain/webhooks');
      const { webhookSender } = await import('@orders/webhooks');
      const sender = webhookSender({
        secrets: { newestKey: () => '', derive: () => secret },
        clock: { now: () => new Date() },
        rules: ANY_ADDRESS,
        isolated: false,
      });
      try {
        const feed = openFeed();
        const { next: after } = await databaseResult(readEvents(feed, owner, { start: 'latest' }));
        await print(`Forwarding the events of ${owner} from now on. The secret is ${secret}\n`);
        const options = { after, types, include: ['resource' as const], signal };
        for await (const event of followEvents(feed, owner, options)) {
          const message = webhookMessage(event, presentEvent(event, definition));
          const attempt = await sender.send(owner, endpointOf(url, event), message, signal);
          await print(lineOf(event, attempt));
        }
      } finally {
        sender.close();
      }
    };
  },
};

/** Returns an endpoint that is stored nowhere. */
function endpointOf(url: string, { occurred_at }: FeedEvent<OrderDefinition>): AnyEndpoint {
  return {
    id: '00000000-0000-7000-8000-000000000000',
    url,
    types: null,
    include: ['resource'],
    description: null,
    status: 'enabled',
    disabled_reason: null,
    secrets: [{ serial: 1, key: '', expires_at: null }],
    start: 0,
    version: 1,
    created_at: occurred_at,
    updated_at: occurred_at,
  };
}

function lineOf({ occurred_at, position, type, resource }: FeedEvent<OrderDefinition>, attempt: Attempt): string {
  const result = attempt.status ?? attempt.error;
  return `${occurred_at}  ${position}  ${type}  ${resource.id}  ${result}  ${attempt.duration_ms} ms\n`;
}

async function readListenArguments(values: Arguments['values'], definition: OrderDefinition) {
  const { isOwner } = await import('@orders/domain');
  const { eventTypesOf } = await import('@orders/domain/events');
  const { owner = '', secret = `whsec_${randomBytes(32).toString('base64')}`, 'forward-to': url = '' } = values;
  const names = values['types']?.split(',');
  const known = eventTypesOf(definition);
  const types = names && known.filter((type) => names.includes(type));
  const isHttp = URL.canParse(url) && ['http:', 'https:'].includes(new URL(url).protocol);
  const faults = [
    ...(isOwner(owner) ? [] : [OWNER_FAULT]),
    ...(isHttp ? [] : ['--forward-to: must be an http or https URL, such as http://127.0.0.1:4000/webhooks']),
    ...(types?.length === names?.length
      ? []
      : [`--types: must be different ones of ${known.join(',')}, separated by commas`]),
    ...(SECRET.test(secret) ? [] : ['--secret: must be whsec_ and base64 of at least 24 bytes']),
  ];
  if (faults.length > 0) throw new OperatorError(faults);
  return { owner, url, types, secret };
}
