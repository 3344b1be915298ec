import { checkpointsContract, eventFeedContract, inMemoryCheckpoints } from '@orders/domain/testing';
import { describe, it } from 'vitest';
import { aFeedStore } from './a-feed-store.ts';

eventFeedContract({ describe, it }, aFeedStore);
checkpointsContract({ describe, it }, inMemoryCheckpoints);
