const HEAD_END = Buffer.from('\r\n\r\n');

/**
 * Counts the responses in a stream of bytes: returns a function that takes the next bytes. It calls `onResponse` for each
 * response that is complete, with its status and whether it ends its connection. Bodies are those that Content-Length
 * announces.
 */
export function countResponses(onResponse: (status: number, closes: boolean) => void): (bytes: Buffer) => void {
  let rest: Buffer = Buffer.alloc(0);
  let bodyLeft = 0;
  let status = 0;
  let closes = false;
  return (bytes) => {
    rest = rest.length === 0 ? bytes : Buffer.concat([rest, bytes]);
    for (;;) {
      if (status !== 0) {
        const taken = Math.min(bodyLeft, rest.length);
        bodyLeft -= taken;
        rest = rest.subarray(taken);
        if (bodyLeft > 0) return;
        onResponse(status, closes);
        status = 0;
      }
      const end = rest.indexOf(HEAD_END);
      if (end === -1) return;
      const head = rest.toString('latin1', 0, end);
      rest = rest.subarray(end + HEAD_END.length);
      status = Number(/^HTTP\/1\.[01] (\d{3})/.exec(head)?.[1] ?? 999);
      closes = /^connection: *close/im.test(head);
      bodyLeft = Number(/^content-length: *(\d+)/im.exec(head)?.[1] ?? 0);
    }
  };
}
