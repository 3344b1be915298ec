import { Webhook } from 'standardwebhooks';
import { z } from 'zod';

/** An endpoint of the receiver. */
export interface ReceivingEndpoint {
  readonly path: string;
  readonly secret: string;
}

/** What a receiver has received since the last report. */
export interface ReceiverReport {
  /** When each delivery arrived, in milliseconds of a clock of the receiver, in order. */
  readonly arrivedAt: readonly number[];
  /** The time from each event to its arrival, in milliseconds, in the same order. */
  readonly lagsMs: readonly number[];
  /** The first request that was wrong. */
  readonly wrong: string | undefined;
}

const Message = z.object({
  timestamp: z.string(),
  data: z.object({
    id: z.string(),
    resource: z.object({ type: z.string(), id: z.string(), version: z.number() }),
  }),
});

/**
 * The deliveries that a receiver has got. Each must have a valid signature, arrive once, and follow those of earlier
 * versions of its resource.
 */
export class ReceivedDeliveries {
  readonly #endpoints = new Map<string, ReceivingEndpoint>();
  readonly #seen = new Set<string>();
  readonly #versions = new Map<string, number>();
  #arrivedAt: number[] = [];
  #lagsMs: number[] = [];
  #wrong: string | undefined;

  expect(endpoint: ReceivingEndpoint): void {
    this.#endpoints.set(endpoint.path, endpoint);
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
    if (!found) this.#wrong ??= `a request for ${path}, which no endpoint has`;
    return found;
  }

  /** Checks a request that is to be accepted, and records it. */
  accept({ path, secret }: ReceivingEndpoint, headers: Readonly<Record<string, unknown>>, body: string): void {
    const [now, at] = [Date.now(), performance.now()];
    try {
      const texts = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]));
      const { timestamp, data } = Message.parse(new Webhook(secret).verify(body, texts));
      if (data.id !== texts['webhook-id']) throw new Error('another id');
      const [delivery, resource] = [`${path} ${data.id}`, `${path} ${data.resource.type} ${data.resource.id}`];
      if (this.#seen.has(delivery)) throw new Error('it arrives twice');
      if (data.resource.version <= (this.#versions.get(resource) ?? 0)) throw new Error('after a later version');
      this.#seen.add(delivery);
      this.#versions.set(resource, data.resource.version);
      this.#arrivedAt.push(at);
      this.#lagsMs.push(now - Date.parse(timestamp));
    } catch (cause) {
      this.#wrong ??= `${path} got ${body}: ${String(cause)}`;
    }
  }

  /** Returns what has arrived since the last report. */
  report(): ReceiverReport {
    const report = { arrivedAt: this.#arrivedAt, lagsMs: this.#lagsMs, wrong: this.#wrong };
    this.#arrivedAt = [];
    this.#lagsMs = [];
    return report;
  }
}
