import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import Negotiator from 'negotiator';

const compressByBrotli = promisify(brotliCompress);
const compressByGzip = promisify(gzip);

/** The content of a file in one encoding (RFC 9110 section 8.4). */
interface Encoded {
  readonly encoding: 'br' | 'gzip' | 'identity';
  readonly bytes: Buffer;
}

/** Chooses the encoding of a file by `Accept-Encoding`: the smallest of those that the client prefers. */
export type ChooseEncoding = (acceptEncoding: string | undefined) => Encoded;

/** Quality of Brotli. Higher ones take too long for a request, and save few bytes. */
const QUALITY = 5;

/** Supported encodings, in the order of preference for clients without a preference. */
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

/** The actual signature of Negotiator, whose types lack the second parameter. */
interface EncodingNegotiator {
  encoding(available: readonly string[], options: { readonly preferred: readonly string[] }): string | undefined;
}

/**
 * Compresses an immutable file once per encoding, asynchronously, when a client first prefers that encoding. Until then, and
 * for clients that accept no encoding, the file is sent uncompressed.
 */
export function encodings(read: () => Buffer): ChooseEncoding {
  let identity: Encoded | undefined;
  const compressed = new Map<string, Encoded | 'under way'>();

  const begin = (encoding: 'br' | 'gzip', bytes: Buffer): void => {
    compressed.set(encoding, 'under way');
    COMPRESS[encoding](bytes).then(
      (result) => compressed.set(encoding, { encoding, bytes: result }),
      // If memory is exhausted, the file is always sent uncompressed.
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
