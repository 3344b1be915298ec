import { eventFeedBacklogContract } from '@orders/domain/testing';
import { describe, it } from 'vitest';
import { aFeedStore } from './a-feed-store.ts';

eventFeedBacklogContract({ describe, it }, aFeedStore);
