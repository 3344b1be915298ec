import { describe, expect, it } from 'vitest';
import { anAgreeableServer } from './balanced-servers.ts';
import { startBalancer } from './running-balancer.ts';

const FORGED = 'X-Forwarded-For: 192.0.2.9\r\nForwarded: for=192.0.2.9\r\n';

/** The last request of a connection, which the balancer closes afterwards. */
const LAST = `GET /last HTTP/1.1\r\nHost: x\r\n${FORGED}Connection: close\r\n\r\n`;

/** Requests that a server and a balancer may parse differently, or that request the end of HTTP on the connection. */
const AMBIGUOUS: Readonly<Record<string, string>> = {
  'a length and chunks': `POST /first HTTP/1.1\r\nHost: x\r\n${FORGED}Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
  'chunks on HTTP/1.0': `POST /first HTTP/1.0\r\nHost: x\r\n${FORGED}Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
  'a folded header': `GET /first HTTP/1.1\r\nHost: x\r\nX-Folded: a\r\n X-Forwarded-For: 192.0.2.9\r\n${FORGED}\r\n`,
  'bare line feeds': `GET /first HTTP/1.1\nHost: x\nX-Forwarded-For: 192.0.2.9\n\n`,
  'an absolute form': `GET http://x/first HTTP/1.1\r\nHost: x\r\n${FORGED}\r\n`,
  'an address that is a hop-by-hop header': `GET /first HTTP/1.1\r\nHost: x\r\n${FORGED}Connection: X-Forwarded-For\r\n\r\n`,
  'an upgrade to h2c': `GET /first HTTP/1.1\r\nHost: x\r\n${FORGED}Upgrade: h2c\r\nHTTP2-Settings: AAMAAABkAAQCAAAAAAIAAAAA\r\nConnection: Upgrade, HTTP2-Settings\r\n\r\n`,
  'an upgrade to a WebSocket': `GET /first HTTP/1.1\r\nHost: x\r\n${FORGED}Upgrade: websocket\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\nConnection: Upgrade\r\n\r\n`,
  CONNECT: `CONNECT x:80 HTTP/1.1\r\nHost: x:80\r\n${FORGED}\r\n`,
};

describe('the balancer', () => {
  for (const [name, request] of Object.entries(AMBIGUOUS)) {
    it(`opens no tunnel, replaces X-Forwarded-For and logs every request: ${name}`, async () => {
      const server = await anAgreeableServer();
      const { raw, output } = await startBalancer([server.address, server.address]);
      const text = await raw(request + LAST);
      expect(text).not.toMatch(/^HTTP\/1\.1 101/m);

      const heads = server.received().match(/^[A-Z]+ \S+ HTTP\/1\.[01]\r\n/gm) ?? [];
      const addresses = server.received().match(/^x-forwarded-for: .*$/gim) ?? [];
      expect(addresses).toEqual(heads.map(() => 'x-forwarded-for: 127.0.0.1'));
      expect(server.received()).not.toMatch(/^(?:forwarded|upgrade):|^CONNECT /im);

      const responses = text.match(/HTTP\/1\.[01] \d{3}/g) ?? [];
      expect(responses.length).toBeGreaterThan(0);
      const lines = () => output().match(/^\{"time".*$/gm) ?? [];
      await expect.poll(() => lines().length).toBe(responses.length);
    });
  }
});
