import { describe, expect, it } from 'vitest';
import { bare, DOORS, TEA } from './doors.ts';

describe.each(DOORS)('statistics through %s', (_, open) => {
  it('have the rows of a range', async () => {
    const { orders } = await open();
    const { order } = (await orders.place({ items: [TEA] }))._unsafeUnwrap();
    const query = { interval: 'day', from: order.created_at, before: '2026-02-01T00:00:00Z' } as const;
    const read = await orders.statistics({ ...query, time_zone: 'Asia/Kathmandu' });
    const row = { start: '2026-01-02T00:00:00+05:45', status: 'placed', currency: 'EUR', orders: 1, total: 900 };
    expect(read._unsafeUnwrap()).toEqual({ data: [row], as_of: 1 });
  });

  it('reject an invalid query', async () => {
    const { orders } = await open();
    const read = await orders.statistics({ interval: 'day', from: '2026-01-01', before: '2026-02-01T00:00:00Z' });
    expect(bare(read._unsafeUnwrapErr())).toMatchObject({
      type: 'validation_failed',
      errors: [{ field: 'from', code: 'invalid_format' }],
    });
  });
});
