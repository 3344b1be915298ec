import type { ApiResponse } from './a-client.ts';
import { anApi } from './an-api.ts';

/** An API with an order that was placed, annotated, paid, cancelled and deleted, each a second after the other. */
export async function anOrderWithHistory() {
  const api = await anApi();
  const { acme, clock } = api;
  const { id, url, response: placed } = await acme.place({ note: 'First' });
  const later = (write: () => Promise<ApiResponse>) => {
    clock.advance(1000);
    return write();
  };
  const changed = [
    placed,
    await later(() => acme.patch(url, { note: 'Second' })),
    await later(() => acme.patch(url, { status: 'paid' })),
    await later(() => acme.post(`${url}/cancel`, { reason: 'out of stock' })),
  ];
  return { ...api, id, url, changed, remove: () => later(() => acme.delete(url)) };
}
