export const NEW_CUSTOMER = { email: 'ada@example.com', name: 'Ada', metadata: { segment: 'b2b' } };

export const CUSTOMER = {
  id: '019b2a4e-8f00-7000-8000-0000000000c1',
  ...NEW_CUSTOMER,
  version: 1,
  created_at: '2026-01-02T03:04:05.678Z',
  updated_at: '2026-01-02T03:04:05.678Z',
};

export const RENAMED_CUSTOMER = { ...CUSTOMER, name: 'Ada L.', version: 2, updated_at: '2026-01-03T08:00:00.000Z' };
