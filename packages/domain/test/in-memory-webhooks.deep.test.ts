import { webhookQueueBacklogContract } from '@orders/domain/testing';
import { describe, it } from 'vitest';
import { aWebhookStore } from './a-webhook-store.ts';

webhookQueueBacklogContract({ describe, it }, aWebhookStore);
