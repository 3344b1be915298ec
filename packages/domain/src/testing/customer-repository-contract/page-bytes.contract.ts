import { aCustomer } from '../builders.ts';
import { keepCustomer, type OpenSubject, succeeds, type TestRunner } from '../contract-subject.ts';
import { metadataOfBytes, pageBytesContract } from '../page-bytes.contract.ts';

export function customerPageBytesContract(runner: TestRunner, open: OpenSubject): void {
  pageBytesContract(runner, 'customers', async () => {
    const subject = await open();
    return {
      keep: (owner, bytes) => keepCustomer(subject, owner, aCustomer({ metadata: metadataOfBytes(bytes) })),
      page: (owner, query) => succeeds(subject.customers.list(owner, query)),
    };
  });
}
