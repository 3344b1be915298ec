const EUR = (amount: number) => ({ amount, currency: 'EUR' });

export const NEW_ORDER = {
  items: [{ sku: 'MUG-330', name: 'Mug 330 ml', quantity: 2, unit_price: EUR(1299) }],
  reference: 'PO-2026-0417',
  note: 'Leave it with the neighbour',
  metadata: { channel: 'web' },
};

const [NEW_ITEM] = NEW_ORDER.items;

export const LINE_ITEM = { id: '019b2a4e-8f00-7000-8000-0000000000a1', ...NEW_ITEM, total: EUR(2598) };

export const ORDER = {
  id: '019b2a4e-8f00-7000-8000-000000000001',
  status: 'pending',
  customer_id: null,
  reference: NEW_ORDER.reference,
  items: [LINE_ITEM],
  total: EUR(2598),
  note: NEW_ORDER.note,
  metadata: NEW_ORDER.metadata,
  cancel_reason: null,
  available_transitions: ['paid', 'cancelled'],
  version: 1,
  created_at: '2026-01-02T03:04:05.678Z',
  updated_at: '2026-01-02T03:04:05.678Z',
  paid_at: null,
  shipped_at: null,
  delivered_at: null,
  cancelled_at: null,
};

const LATER = '2026-01-03T08:00:00.000Z';

export const PAID_ORDER = {
  ...ORDER,
  status: 'paid',
  available_transitions: ['shipped', 'cancelled'],
  version: 2,
  updated_at: LATER,
  paid_at: LATER,
};

export const CANCELLED_ORDER = {
  ...ORDER,
  status: 'cancelled',
  cancel_reason: 'The customer changed their mind',
  available_transitions: [],
  version: 2,
  updated_at: LATER,
  cancelled_at: LATER,
};
