import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { customerRepositoryContract, orderRepositoryContract } from '@orders/domain/testing';
import { openSqliteStore } from './sqlite-store.ts';

const folder = mkdtempSync(join(tmpdir(), 'orders-'));
const store = openSqliteStore(join(folder, 'orders.sqlite'));
after(() => {
  store.close();
  rmSync(folder, { recursive: true });
});

orderRepositoryContract({ describe, it }, () => store);
customerRepositoryContract({ describe, it }, () => store);
