import autocannon from 'autocannon';

/** One request of a case. */
export interface CaseRequest {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

export interface Measured {
  readonly requests: number;
  readonly perSecond: number;
  readonly p50: number;
  readonly p99: number;
}

/**
 * Sends requests for `seconds` over `connections` connections.
 *
 * @throws {Error} an answer had another status than `expected`: its time would be no figure
 */
export async function load(
  url: string,
  key: string,
  next: () => CaseRequest,
  expected: number,
  seconds: number,
  connections: number,
): Promise<Measured> {
  const result = await autocannon({
    url,
    connections,
    duration: seconds,
    requests: [
      {
        setupRequest: (request) => {
          const { method, path, headers, body } = next();
          return { ...request, method, path, body, headers: { 'x-api-key': key, ...headers } };
        },
      },
    ],
  });
  const stats = result.statusCodeStats ?? {};
  const wrong = Object.entries(stats).filter(([status]) => Number(status) !== expected);
  if (wrong.length > 0 || result.errors > 0 || result.timeouts > 0) {
    throw new Error(`wrong answers from ${url}: ${JSON.stringify(wrong)}, ${result.errors} errors`);
  }
  return {
    requests: result.requests.total,
    perSecond: result.requests.average,
    p50: result.latency.p50,
    p99: result.latency.p99,
  };
}
