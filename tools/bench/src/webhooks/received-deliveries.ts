import { createHmac } from 'node:crypto';
import { z } from 'zod';
import type { ReceiverJob, ReceiverReport } from './receiver-protocol.ts';

/** An endpoint of the receiver. */
export type ReceivingEndpoint = Extract<ReceiverJob, { readonly kind: 'expect' }>['endpoints'][number];

/** The longest accepted age of a signature in seconds, as Standard Webhooks recommends. */
const AGE_MAX_S = 300;

const SECRET_PREFIX = 'whsec_';

const Message = z.object({
  timestamp: z.string(),
  data: z.object({
    id: z.string(),
    resource: z.object({ type: z.string(), id: z.string(), version: z.number() }),
  }),
});

/** The headers and the body of a request. */
interface ReceivedRequest {
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly body: string;
}

/**
 * The deliveries that a receiver has got. Each must have a valid signature, arrive once, and follow those of earlier
 * versions of its resource. Written apart from the code that signs, so that both cannot have the same fault.
 */
export class ReceivedDeliveries {
  readonly #endpoints = new Map<string, ReceivingEndpoint & { readonly key: Buffer }>();
  readonly #seen = new Set<string>();
  readonly #versions = new Map<string, number>();
  #arrivedAt: number[] = [];
  #lagsMs: number[] = [];
  #wrong: string | undefined;

  expect(endpoints: readonly ReceivingEndpoint[]): void {
    for (const endpoint of endpoints) {
      const key = Buffer.from(endpoint.secret.slice(SECRET_PREFIX.length), 'base64');
      this.#endpoints.set(endpoint.path, { ...endpoint, key });
    }
  }

  /** The number of deliveries that were not reported yet. */
  get unreported(): number {
    return this.#arrivedAt.length;
  }

  get isWrong(): boolean {
    return this.#wrong !== undefined;
  }

  /** Returns the endpoint of a path; the run is wrong without one. */
  endpoint(path: string): ReceivingEndpoint | undefined {
    const found = this.#endpoints.get(path);
    if (!found) this.#fail(`a request for ${path}, which no endpoint has`);
    return found;
  }

  /** Checks a request that is to be accepted, and records it. */
  accept(path: string, request: ReceivedRequest): void {
    const [now, at] = [Date.now(), performance.now()];
    const endpoint = this.#endpoints.get(path);
    if (!endpoint) return;
    const { headers, body } = request;
    const [id, timestamp, signature] = ['webhook-id', 'webhook-timestamp', 'webhook-signature'].map((name) =>
      String(headers[name]),
    );
    const mac = createHmac('sha256', endpoint.key).update(`${id}.${timestamp}.${body}`).digest('base64');
    if (signature !== `v1,${mac}`) return this.#fail(`${path} got the signature ${signature} on ${body}`);
    if (!(Math.abs(now / 1000 - Number(timestamp)) <= AGE_MAX_S)) return this.#fail(`${path} got ${timestamp} as time`);
    const parsed = Message.safeParse(JSON.parse(body));
    if (!parsed.success || parsed.data.data.id !== id) return this.#fail(`${path} got ${id} with ${body}`);
    const { timestamp: occurredAt, data } = parsed.data;
    const delivery = `${path} ${id}`;
    if (this.#seen.has(delivery)) return this.#fail(`${path} got ${body} twice`);
    this.#seen.add(delivery);
    const { type, id: resourceId, version } = data.resource;
    const resource = `${path} ${type} ${resourceId}`;
    if (version <= (this.#versions.get(resource) ?? 0)) return this.#fail(`${path} got ${body} after a later version`);
    this.#versions.set(resource, version);
    if (!endpoint.reported) return;
    this.#arrivedAt.push(at);
    this.#lagsMs.push(now - Date.parse(occurredAt));
  }

  /** Returns what has arrived since the last report. */
  report(): ReceiverReport {
    const report = { arrivedAt: this.#arrivedAt, lagsMs: this.#lagsMs };
    this.#arrivedAt = [];
    this.#lagsMs = [];
    return { ...report, ...(this.#wrong !== undefined && { wrong: this.#wrong }) };
  }

  #fail(wrong: string): void {
    this.#wrong ??= wrong;
  }
}
