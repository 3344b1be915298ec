import { waitFor } from './wait.ts';

/** Returns the status of a health endpoint of a server; 0 without a response. */
export async function health(url: string, page: 'livez' | 'readyz'): Promise<number> {
  try {
    const response = await fetch(`${url}/${page}`, { signal: AbortSignal.timeout(10_000) });
    await response.arrayBuffer();
    return response.status;
  } catch {
    return 0;
  }
}

/** Waits until a server reports the given readiness, and returns the duration in milliseconds. */
export async function becomes(url: string, status: number, limitMs: number): Promise<number> {
  const begun = performance.now();
  await waitFor(`${status} of ${url}/readyz`, limitMs, async () =>
    (await health(url, 'readyz')) === status ? true : undefined,
  );
  return performance.now() - begun;
}
