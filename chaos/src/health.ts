import { waitFor } from './wait.ts';

/** The status of one of a server's health pages; 0 when it does not answer. */
export async function health(url: string, page: 'livez' | 'readyz'): Promise<number> {
  try {
    const answer = await fetch(`${url}/${page}`, { signal: AbortSignal.timeout(10_000) });
    await answer.arrayBuffer();
    return answer.status;
  } catch {
    return 0;
  }
}

/** Waits until a server tells so of its readiness; tells after how long, in milliseconds. */
export async function becomes(url: string, status: number, limitMs: number): Promise<number> {
  const begun = performance.now();
  await waitFor(`${status} of ${url}/readyz`, limitMs, async () =>
    (await health(url, 'readyz')) === status ? true : undefined,
  );
  return performance.now() - begun;
}
