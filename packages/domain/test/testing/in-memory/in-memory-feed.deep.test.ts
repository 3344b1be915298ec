import { eventFeedBacklogContract } from '@orders/domain/testing';
import { describe, it } from 'vitest';
import { aFeedStore } from '../../fixtures/a-feed-store.ts';

eventFeedBacklogContract({ describe, it }, aFeedStore);
