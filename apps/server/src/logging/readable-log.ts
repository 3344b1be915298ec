import { prettyFactory } from 'pino-pretty';

/** The members of a request's log line, as the HTTP adapter writes it. */
interface RequestLine {
  readonly msg: 'request' | 'request aborted';
  readonly method: string;
  readonly route: string | null;
  readonly id?: string;
  readonly status: number | null;
  readonly duration_ms: number;
  readonly request_id: string;
}

/**
 * Returns a function that turns a JSON line of the log into text for a developer. A request takes one line, with the id
 * of its order or customer, and with its request id when it fails. A warning takes one, too, and so does a request that gets
 * 503.
 */
export function readableLog({ colorize }: { readonly colorize: boolean }): (json: string) => string {
  const common = { colorize, ignore: 'pid,hostname', translateTime: 'SYS:HH:MM:ss' };
  const other = prettyFactory({ ...common, singleLine: true });
  const request = prettyFactory({
    ...common,
    hideObject: true,
    messageFormat: (line, _messageKey, _level, { colors }) =>
      isRequestLine(line) ? requestText(line, (text, status) => colors[colorOf(status)](text)) : '',
  });
  return (json) => {
    const line = parsed(json);
    return isRequestLine(line) ? request(json) : other(withoutStack(line));
  };
}

/**
 * Puts the message of an error behind the text of a warning, or of a request that failed because a dependency did: what
 * goes on by itself needs no stack, and may be said often.
 */
function withoutStack(line: unknown): unknown {
  if (!isObject(line) || !isObject(line['err'])) return line;
  if (line['level'] !== 'warn' && line['msg'] !== 'unavailable') return line;
  const { err: _err, ...others } = line;
  return { ...others, msg: `${String(line['msg'])}: ${String(line['err']['message'])}` };
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}

function requestText(
  { method, route, id, status, duration_ms, request_id }: RequestLine,
  paint: (text: string, status: number) => string,
): string {
  const outcome = status === null ? paint('aborted', 499) : paint(String(status), status);
  const details = [
    ...(id === undefined ? [] : [`id=${id}`]),
    ...(status === null || status >= 400 ? [`request_id=${request_id}`] : []),
  ];
  return [method, route ?? '(unknown path)', outcome, `${duration_ms} ms`, ...details].join(' ');
}

function colorOf(status: number): 'red' | 'yellow' | 'green' {
  if (status >= 500) return 'red';
  return status >= 400 ? 'yellow' : 'green';
}

function parsed(json: string): unknown {
  return JSON.parse(json);
}

function isRequestLine(line: unknown): line is RequestLine {
  if (typeof line !== 'object' || line === null || !('msg' in line)) return false;
  return (line.msg === 'request' || line.msg === 'request aborted') && 'duration_ms' in line;
}
