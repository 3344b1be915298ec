import { anOrder } from '../builders.ts';
import { keep, type OpenSubject, succeeds, type TestRunner } from '../contract-subject.ts';
import { metadataOfBytes, pageBytesContract } from '../page-bytes.contract.ts';

/** Of two, three and four bytes: a hundred bytes of a note. */
const NOTE = 'ü'.repeat(13) + '€'.repeat(22) + '😀'.repeat(2);

export function orderPageBytesContract(runner: TestRunner, open: OpenSubject): void {
  pageBytesContract(runner, 'orders', async () => {
    const subject = await open();
    return {
      keep: (owner, bytes) => {
        const note = bytes > 1000 ? NOTE : null;
        return keep(subject, owner, anOrder({ note, metadata: metadataOfBytes(note === null ? bytes : bytes - 100) }));
      },
      page: (owner, query) =>
        succeeds(subject.orders.list(owner, { ...query, status: null, customer_id: null, reference: null })),
    };
  });
}
