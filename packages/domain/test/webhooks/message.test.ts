import { webhookMessage } from '@orders/domain/webhooks';
import { expect, it } from 'vitest';
import { NOW } from '../fixtures/a-domain.ts';

it('has the type and time of the event beside its data, in this order', () => {
  const event = { id: 'e', type: 'order.placed', occurred_at: NOW, position: 7 };
  const message = webhookMessage(event, { position: 7 });
  expect(message).toEqual({ id: 'e', body: `{"type":"order.placed","timestamp":"${NOW}","data":{"position":7}}` });
});
