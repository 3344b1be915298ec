import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { customerRepositoryContract, orderRepositoryContract } from '@orders/domain/testing';
import { openSqliteStore } from './sqlite-store.ts';

const folder = mkdtempSync(join(tmpdir(), 'orders-'));
const open = () => openSqliteStore(join(folder, 'orders.sqlite'));
const [store, another] = [open(), open()];
after(() => {
  for (const { close } of [store, another]) close();
  rmSync(folder, { recursive: true });
});

const subject = { ...store, openAnother: () => another };
orderRepositoryContract({ describe, it }, () => subject);
customerRepositoryContract({ describe, it }, () => subject);
