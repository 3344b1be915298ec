import { StringDecoder } from 'node:string_decoder';

const [BOM, BOM_LITTLE, BOM_BIG] = [Buffer.of(0xef, 0xbb, 0xbf), Buffer.of(0xff, 0xfe), Buffer.of(0xfe, 0xff)];

/** A byte that UTF-8 never has. It stands for what is no UTF-16, so that the reader of the bytes says where it is. */
const INVALID = Buffer.of(0xff);

/**
 * Reads the bytes of a text in UTF-8 or, with a byte order mark, in UTF-16, and returns them in UTF-8 without a mark. What
 * is no text stays invalid UTF-8: a reader decodes it with {@link decodeUtf8}.
 */
export async function* utf8Chunks(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer, void> {
  let head: Buffer | null = Buffer.of();
  let toUtf8 = (chunk: Buffer): Buffer => chunk;
  for await (const chunk of chunks) {
    if (head === null) yield toUtf8(chunk);
    else {
      head = Buffer.concat([head, chunk]);
      if (head.length < BOM.length) continue;
      toUtf8 = converterOf(head);
      yield toUtf8(head.subarray(markOf(head).length));
      head = null;
    }
  }
  if (head === null) yield toUtf8(Buffer.of());
  else if (head.length > 0) yield head;
}

function markOf(head: Buffer): Buffer {
  return [BOM, BOM_LITTLE, BOM_BIG].find((mark) => head.subarray(0, mark.length).equals(mark)) ?? Buffer.of();
}

/** Returns what converts each chunk of a text that begins with `head`. An empty chunk is the end. */
function converterOf(head: Buffer): (chunk: Buffer) => Buffer {
  const mark = markOf(head);
  if (mark !== BOM_LITTLE && mark !== BOM_BIG) return (chunk) => chunk;
  const decoder = new StringDecoder('utf16le');
  let odd = Buffer.of();
  return (chunk) => {
    const bytes = Buffer.concat([odd, chunk]);
    const isEnd = chunk.length === 0;
    const pairs = Buffer.from(bytes.subarray(0, bytes.length - (bytes.length % 2)));
    odd = Buffer.from(bytes.subarray(pairs.length));
    const text = decoder.write(mark === BOM_BIG ? pairs.swap16() : pairs) + (isEnd ? decoder.end() : '');
    const rest = isEnd && odd.length > 0 ? INVALID : Buffer.of();
    const parts = text
      .split(/\p{Surrogate}/u)
      .flatMap((part, index) => [...(index > 0 ? [INVALID] : []), Buffer.from(part)]);
    return Buffer.concat([...parts, rest]);
  };
}

const UTF8 = new TextDecoder('utf-8', { fatal: true });

/** Decodes UTF-8; returns `null` if the bytes are none, of which nothing is replaced. */
export function decodeUtf8(bytes: Uint8Array): string | null {
  try {
    return UTF8.decode(bytes);
  } catch {
    return null;
  }
}
