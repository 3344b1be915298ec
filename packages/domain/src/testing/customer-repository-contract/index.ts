import type { OpenSubject, TestRunner } from '../contract-subject.ts';
import { createContract } from './create.contract.ts';
import { deleteContract } from './delete.contract.ts';
import { listContract } from './list.contract.ts';
import { onceContract } from './once.contract.ts';
import { updateContract } from './update.contract.ts';

/** Registers with `runner` every test that an adapter of the customer repository port must pass. */
export function customerRepositoryContract(runner: TestRunner, open: OpenSubject): void {
  createContract(runner, open);
  updateContract(runner, open);
  deleteContract(runner, open);
  listContract(runner, open);
  onceContract(runner, open);
}
