import { webhookQueueBacklogContract } from '@orders/domain/testing';
import { describe, it } from 'vitest';
import { aWebhookStore } from '../../fixtures/a-webhook-store.ts';

webhookQueueBacklogContract({ describe, it }, aWebhookStore);
