import type { ConnectionObserver, OrdersHttpObserver } from '@orders/http-adapter';
import { vi } from 'vitest';

/** Creates an observer whose calls can be counted. */
export function aCountingObserver() {
  return {
    rateLimited: vi.fn<OrdersHttpObserver['rateLimited']>(),
    rateLimitStorePassedOver: vi.fn<() => void>(),
    loadShed: vi.fn<() => void>(),
    unreadLimited: vi.fn<() => void>(),
    connectionCut: vi.fn<() => void>(),
    requestsDiscarded: vi.fn<(count: number) => void>(),
    eventWaiters: vi.fn<(count: number) => void>(),
  } satisfies OrdersHttpObserver & ConnectionObserver;
}
