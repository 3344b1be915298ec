/** A request of a tenant with an API key. */
interface TenantRequest {
  readonly method?: 'GET' | 'POST' | 'PATCH';
  readonly path: string;
  readonly apiKey: string;
  /** JSON, or anything else that is sent as JSON, in ASCII. */
  readonly body?: string;
}

/** Returns a request as the bytes that a hostile client sends. Its default method is GET. */
export function requestText({ method = 'GET', path, apiKey, body }: TenantRequest): string {
  const head = `${method} ${path} HTTP/1.1\r\nHost: orders\r\nX-API-Key: ${apiKey}\r\n`;
  if (body === undefined) return `${head}\r\n`;
  return `${head}Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
}
