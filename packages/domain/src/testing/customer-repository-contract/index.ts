import type { OpenSubject, TestRunner } from '../contract-subject.ts';
import { createContract } from './create.contract.ts';
import { deleteContract } from './delete.contract.ts';
import { customerPageBytesContract, listContract } from './list.contract.ts';
import { idempotencyContract } from './idempotency.contract.ts';
import { rejectionsContract } from './rejections.contract.ts';
import { storedValuesContract } from './stored-values.contract.ts';
import { updateContract } from './update.contract.ts';
import { versionsContract } from './versions.contract.ts';

/** Registers with `runner` every test that an adapter of the customer repository port must pass. */
export function customerRepositoryContract(runner: TestRunner, open: OpenSubject): void {
  createContract(runner, open);
  updateContract(runner, open);
  storedValuesContract(runner, open);
  rejectionsContract(runner, open);
  deleteContract(runner, open);
  listContract(runner, open);
  customerPageBytesContract(runner, open);
  idempotencyContract(runner, open);
  versionsContract(runner, open);
}
