import type { Scenario } from '../scenario.ts';
import { clocksApart } from './clocks-apart.ts';
import { connectionFaults } from './connection-faults.ts';
import { hostileAddresses } from './hostile-addresses.ts';
import { hostileBehindBalancer } from './hostile-behind-balancer.ts';
import { hostileBodies, hostileBursts, hostileCustom } from './hostile-bodies.ts';
import { hostileConnections } from './hostile-connections.ts';
import { hostileFollowers } from './hostile-followers.ts';
import { hostileOwners } from './hostile-owners.ts';
import { hostileReceivers } from './hostile-receivers.ts';
import { hostileTransactions } from './hostile-transactions.ts';
import { manyConnections } from './many-connections.ts';
import { nothingWritable } from './nothing-writable.ts';
import { poolExhausted } from './pool-exhausted.ts';
import { postgresKilled } from './postgres-killed.ts';
import { redisGone } from './redis-gone.ts';
import { rollingRestart } from './rolling-restart.ts';
import { serversKilled } from './servers-killed.ts';
import { soak } from './soak.ts';
import { tenServers } from './ten-servers.ts';

/** All of them, in the order in which they are played. */
export const SCENARIOS: readonly Scenario[] = [
  serversKilled,
  postgresKilled,
  connectionFaults,
  rollingRestart,
  redisGone,
  poolExhausted,
  nothingWritable,
  clocksApart,
  tenServers,
  manyConnections,
  hostileConnections,
  hostileAddresses,
  hostileOwners,
  hostileBodies,
  hostileCustom,
  hostileBursts,
  hostileFollowers,
  hostileReceivers,
  hostileTransactions,
  hostileBehindBalancer,
  soak,
];
