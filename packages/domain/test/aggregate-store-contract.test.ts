import { describe } from 'vitest';
import { commitFaults } from './store-faults/commits.ts';
import { itCatchesInEveryKind } from './store-faults/every-kind.ts';
import { keyFaults } from './store-faults/keys.ts';
import { listFaults } from './store-faults/lists.ts';
import { lockedCommitFaults } from './store-faults/locked-commits.ts';
import { ownerAndCopyFaults } from './store-faults/owners-and-copies.ts';

describe('the contract of every store', () => {
  itCatchesInEveryKind([...commitFaults, ...keyFaults, ...lockedCommitFaults, ...listFaults, ...ownerAndCopyFaults]);
});
