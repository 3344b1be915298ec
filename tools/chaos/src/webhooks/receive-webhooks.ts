import { Agent } from 'node:http';
import { inversionOf, isOfTypes, missingOf, type Received, unacknowledgedOf } from '../feed/feed-contradictions.ts';
import { exchange } from '../load/exchange.ts';
import type { Load } from '../load/load.ts';
import { isRecord } from '../load/resource.ts';
import type { Stage } from '../stage.ts';
import { waitFor } from '../wait.ts';
import { type EndpointReceiver, startReceiver } from './webhook-receiver.ts';

/** Maximum time to deliver what is left: claims of killed workers expire after 60 s, and may do so twice, in milliseconds. */
const DELIVERED_MS = 180_000;

/** The environment of servers that send webhooks to this machine. */
export const WITH_WEBHOOKS = {
  WEBHOOK_SIGNING_KEYS: Buffer.alloc(32, 'chaos').toString('base64'),
  WEBHOOK_ALLOW_CIDRS: '127.0.0.1',
};

/** The endpoints of each owner. */
const KINDS = [
  { name: 'everything', body: {} },
  {
    name: 'some types with resources',
    body: { types: ['order.placed', 'order.cancelled', 'customer.deleted'], include: ['resource'] },
  },
] as const;

export interface ReceiveWebhooksOptions {
  readonly urls: readonly string[];
  /** A key of each owner. */
  readonly apiKeys: readonly string[];
  /** Whether receivers reject requests that are signed more than five minutes apart from now. Default: `true`. */
  readonly checksTime?: boolean;
  /** Whether each event may be acknowledged only once, because no worker and no database fails. Default: `false`. */
  readonly once?: boolean;
}

/** The endpoints of all owners. */
export interface ReceivedWebhooks {
  /**
   * Waits until all endpoints have acknowledged every acknowledged change that they want, and checks the order. Call this
   * when no change is under way.
   */
  readonly finish: (load: Pick<Load, 'ledger'>) => Promise<void>;
}

interface Endpoint {
  readonly name: string;
  readonly apiKey: string;
  readonly types: readonly string[] | null;
  readonly receiver: EndpointReceiver;
}

/** Creates endpoints of each owner on servers with {@link WITH_WEBHOOKS}. Call this before their first change. */
export async function receiveWebhooks(
  stage: Stage,
  { urls: [url = ''], apiKeys, checksTime = true, once = false }: ReceiveWebhooksOptions,
): Promise<ReceivedWebhooks> {
  const contradicts = (what: string) => stage.holds(false, 'every webhook is signed and sent by one worker', what);
  const { endpoint } = await startReceiver(stage, { checksTime, contradicts });
  const endpoints: Endpoint[] = [];
  for (const [index, apiKey] of apiKeys.entries()) {
    for (const { name: kind, body } of KINDS) {
      const name = `owner ${index + 1}, ${kind}`;
      const receiver = endpoint(name);
      receiver.secret = await createEndpoint(url, apiKey, { url: receiver.url, ...body });
      endpoints.push({ name, apiKey, types: 'types' in body ? body.types : null, receiver });
    }
  }

  return {
    finish: async ({ ledger }) => {
      stage.progress('waiting for webhooks');
      const begun = performance.now();
      const isBehind = ({ apiKey, types, receiver }: Endpoint) =>
        receiver.accepted.length <
        ledger.acknowledgedBy(apiKey).filter((change) => isOfTypes({ types }, change)).length;
      // What is missing then is a contradiction.
      await waitFor('webhooks', DELIVERED_MS, () => (endpoints.some(isBehind) ? undefined : true)).catch(
        () => undefined,
      );
      stage.figure('webhooks delivered after', `${((performance.now() - begun) / 1000).toFixed(1)} s`);
      for (const { name, apiKey, types, receiver } of endpoints) {
        const received = { types, events: receiver.accepted };
        for (const contradiction of contradictionsOf(received, ledger.acknowledgedBy(apiKey))) {
          const expected = 'every endpoint acknowledges each change that it wants, those of a resource in order';
          stage.holds(false, expected, `${name}: ${contradiction}`);
        }
        if (once) {
          const repeated = receiver.repeated();
          stage.holds(repeated === 0, 'no webhook is sent again once it is acknowledged', `${name}: ${repeated}`);
        }
      }
      const sum = (count: (receiver: EndpointReceiver) => number) =>
        endpoints.reduce((total, { receiver }) => total + count(receiver), 0);
      const events = sum(({ accepted }) => accepted.length);
      stage.figure('webhooks', `${events} in ${sum((one) => one.requests())} requests`);
      stage.figure(
        'webhooks again',
        sum((one) => one.repeated()),
      );
      stage.holds(events > 0, 'endpoints receive webhooks', 'none');
    },
  };
}

function contradictionsOf(received: Received, acknowledged: readonly string[]): readonly string[] {
  return [inversionOf(received), missingOf(received, acknowledged), unacknowledgedOf(received, acknowledged)].flatMap(
    (found) => (found === undefined ? [] : found),
  );
}

/** Creates an endpoint, and returns its secret. */
async function createEndpoint(url: string, apiKey: string, body: object): Promise<string> {
  const agent = new Agent();
  const request = { method: 'POST', path: '/v1/webhook_endpoints', headers: { 'x-api-key': apiKey }, body } as const;
  const exchanged = await exchange(agent, url, request, 20_000);
  agent.destroy();
  const created = 'broken' in exchanged ? undefined : exchanged.body;
  if (isRecord(created) && typeof created['secret'] === 'string') return created['secret'];
  throw new Error(`no endpoint was created: ${JSON.stringify(exchanged)}`);
}
