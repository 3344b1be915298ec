import { open } from 'node:fs/promises';
import type { OrdersEvent } from '@orders/client';

/** A file with a line for each event. */
export interface Journal {
  /** Returns the position of the last event, or 0. */
  position(): number;
  /** Appends an event. Resolves when its line would also survive a failure of the machine. */
  append(event: OrdersEvent): Promise<void>;
}

/** Opens a journal, without the line of which a killed process wrote only a part. */
export async function openJournal(path: string): Promise<Journal> {
  const file = await open(path, 'a+');
  const text = await file.readFile('utf8');
  const lines = text.slice(0, text.lastIndexOf('\n') + 1);
  await file.truncate(Buffer.byteLength(lines));
  let last = positions(lines).at(-1) ?? 0;
  return {
    position: () => last,
    append: async ({ position, type, resource }) => {
      await file.writeFile(`${position} ${type} ${resource.id} ${resource.version}\n`);
      await file.datasync();
      last = position;
    },
  };
}

/** Returns the positions of the events in a journal. */
export function positions(lines: string): readonly number[] {
  return lines.match(/^\d+/gm)?.map(Number) ?? [];
}
