import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import Negotiator from 'negotiator';

const compressByBrotli = promisify(brotliCompress);
const compressByGzip = promisify(gzip);

/** A file as it is sent (RFC 9110 section 8.4). */
interface Encoded {
  readonly encoding: 'br' | 'gzip' | 'identity';
  readonly bytes: Buffer;
}

/** Chooses the encoding of a file by `Accept-Encoding`: the smallest of those that the client likes best. */
export type ChooseEncoding = (acceptEncoding: string | undefined) => Encoded;

/** Quality of brotli. A higher one costs a core for longer than a request may wait, for few bytes less. */
const QUALITY = 5;

/** By preference; clients that have none of their own get the first. */
const PREFERRED = ['br', 'gzip'] as const;
const AVAILABLE = [...PREFERRED, 'identity'];

const COMPRESS = {
  br: (bytes: Buffer) =>
    compressByBrotli(bytes, {
      params: {
        [constants.BROTLI_PARAM_QUALITY]: QUALITY,
        [constants.BROTLI_PARAM_MODE]: constants.BROTLI_MODE_TEXT,
        [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length,
      },
    }),
  gzip: (bytes: Buffer) => compressByGzip(bytes, { level: 6 }),
};

/** Negotiator as it is; its types lack the second argument. */
interface EncodingNegotiator {
  encoding(available: readonly string[], options: { readonly preferred: readonly string[] }): string | undefined;
}

/**
 * Compresses a file that never changes: once for each encoding, beside the requests, when the first client prefers it.
 * Until that is done, and to a client that accepts nothing else, the file is sent as it is.
 */
export function encodings(read: () => Buffer): ChooseEncoding {
  let identity: Encoded | undefined;
  const compressed = new Map<string, Encoded | 'under way'>();

  const begin = (encoding: 'br' | 'gzip', bytes: Buffer): void => {
    compressed.set(encoding, 'under way');
    COMPRESS[encoding](bytes).then(
      (result) => compressed.set(encoding, { encoding, bytes: result }),
      // Without the memory for it the file is sent as it is for good.
      () => undefined,
    );
  };

  return (acceptEncoding) => {
    identity ??= { encoding: 'identity', bytes: read() };
    if (acceptEncoding === undefined) return identity;
    const negotiator: EncodingNegotiator = new Negotiator({ headers: { 'accept-encoding': acceptEncoding } });
    const preferred = negotiator.encoding(AVAILABLE, { preferred: PREFERRED });
    if (preferred !== 'br' && preferred !== 'gzip') return identity;
    const found = compressed.get(preferred);
    if (found === undefined) begin(preferred, identity.bytes);
    return typeof found === 'object' ? found : identity;
  };
}
