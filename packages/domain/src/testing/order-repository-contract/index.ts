import { concurrencyContract } from './concurrency.contract.ts';
import { createContract } from './create.contract.ts';
import { deleteContract } from './delete.contract.ts';
import { findContract } from './find.contract.ts';
import { isolationContract } from './isolation.contract.ts';
import { idempotencyContract } from './idempotency.contract.ts';
import { orderPageBytesContract, pagingContract } from './paging.contract.ts';
import type { OpenSubject, TestRunner } from '../contract-subject.ts';
import { uniquenessContract } from './uniqueness.contract.ts';
import { rejectionsContract } from './rejections.contract.ts';
import { storedValuesContract } from './stored-values.contract.ts';
import { updateContract } from './update.contract.ts';
import { versionPagesContract } from './version-pages.contract.ts';
import { versionsContract } from './versions.contract.ts';

/** Registers with `runner` every test that an adapter of the order repository port must pass. */
export function orderRepositoryContract(runner: TestRunner, open: OpenSubject): void {
  createContract(runner, open);
  findContract(runner, open);
  updateContract(runner, open);
  storedValuesContract(runner, open);
  rejectionsContract(runner, open);
  deleteContract(runner, open);
  isolationContract(runner, open);
  uniquenessContract(runner, open);
  concurrencyContract(runner, open);
  pagingContract(runner, open);
  orderPageBytesContract(runner, open);
  idempotencyContract(runner, open);
  versionsContract(runner, open);
  versionPagesContract(runner, open);
}
