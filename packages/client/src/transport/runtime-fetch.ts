/** Maximum number of informational responses before a response. */
const INFORMATIONAL_MAX = 32;

interface IncomingMessage extends AsyncIterable<Uint8Array<ArrayBuffer>> {
  readonly statusCode: number;
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
}

interface ClientRequest {
  on(event: 'error', listener: (cause: unknown) => void): this;
  on(event: 'close' | 'information', listener: () => void): this;
  on(event: 'response', listener: (response: IncomingMessage) => void): this;
  end(body: string): void;
  destroy(): void;
}

interface NodeHttp {
  request(url: string, options: Pick<Request, 'method' | 'signal'> & { readonly headers: object }): ClientRequest;
}

type GetBuiltinModule = (name: 'node:http' | 'node:https') => NodeHttp;

/** What only Node.js has, from 22.3 on. */
declare const process: { readonly getBuiltinModule?: GetBuiltinModule };

/**
 * Returns the `fetch` of the runtime. That of Node.js closes a connection on which 100 (Continue) arrives unasked, which a
 * client has to discard (RFC 9110 section 15.2). Once that happens, `node:http` sends the requests, which discards it.
 */
export function runtimeFetch(): typeof fetch {
  let send: typeof fetch | undefined;
  return async (url, init) => {
    if (send) return send(url, init);
    try {
      // Looked up for each request, because tools that observe requests replace it.
      return await fetch(url, init);
    } catch (cause) {
      if (!isUnaskedContinue(cause) || !process.getBuiltinModule) throw cause;
      send = nodeFetch(process.getBuiltinModule);
      return send(url, init);
    }
  };
}

function isUnaskedContinue(thrown: unknown): boolean {
  const cause = thrown instanceof Error ? thrown.cause : undefined;
  return (
    cause instanceof Error && 'code' in cause && cause.code === 'UND_ERR_SOCKET' && cause.message === 'bad response'
  );
}

function nodeFetch(getModule: GetBuiltinModule): typeof fetch {
  return async (url, init) => {
    const sent = new Request(url, init);
    const { method, signal } = sent;
    const body = await sent.text();
    const http = getModule(sent.url.startsWith('https:') ? 'node:https' : 'node:http');
    const response = await new Promise<IncomingMessage>((resolve, reject) => {
      let left = INFORMATIONAL_MAX;
      const request = http.request(sent.url, { method, signal, headers: Object.fromEntries(sent.headers) });
      // Last, because a change of protocol closes the connection without an error.
      request
        .on('response', resolve)
        .on('error', reject)
        .on('close', () => reject(new Error('no response')));
      request.on('information', () => {
        left -= 1;
        if (left >= 0) return;
        reject(new Error('too many informational responses'));
        request.destroy();
      });
      request.end(body);
    });
    return responseOf(response);
  };
}

function responseOf(response: IncomingMessage): Response {
  const { statusCode: status, headers } = response;
  const chunks = response[Symbol.asyncIterator]();
  const body = new ReadableStream<Uint8Array<ArrayBuffer>>({
    pull: async (controller) => {
      const next = await chunks.next();
      if (next.done === true) controller.close();
      else controller.enqueue(next.value);
    },
    cancel: () => void chunks.return?.(),
  });
  const pairs = Object.entries(headers).map(([name, value]): [string, string] => [name, String(value)]);
  return new Response(status === 204 ? null : body, { status, headers: pairs });
}
