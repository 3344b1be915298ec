import { type ProbeResponse, headerOf } from './exchange.ts';

/** A response, and the value that was sent in its request. */
export interface Exchange {
  readonly sent: string;
  readonly response: ProbeResponse;
}

/** Headers that depend on time and request counts instead of the request. */
const NOT_COMPARED = new Set(['date', 'ratelimit', 'ratelimit-policy']);
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
// Characters beyond a byte, so that no response contains them.
const [VALUE_SENT, REQUEST_ID, SOME_VALUE] = ['⟨what was sent⟩', '⟨request id⟩', '⟨any⟩'];

/** Returns the differences of two responses, ignoring the sent value, request ids, `Date` and the rate limit. */
export function differences(one: Exchange, other: Exchange): readonly string[] {
  const [left, right] = [blanked(one), blanked(other)];
  const names = [left, right].map(({ headers }) => headers.map(([name]) => name).join(', '));
  return [
    ...(left.status === right.status ? [] : [`status ${left.status}, not ${right.status}`]),
    ...(names[0] === names[1] ? differentValues(left, right) : [`headers ${names[0]}, not ${names[1]}`]),
    ...(left.body === right.body ? [] : [`body ${left.body}, not ${right.body}`]),
  ];
}

/** Returns a response without the parts that may differ: the sent value, request id, `Date` and the rate limit. */
export function blanked({ sent, response }: Exchange): ProbeResponse {
  const { status, headers, body } = response;
  const requestId = headerOf(response, 'x-request-id') ?? '';
  const blank = (text: string) => {
    const without = sent === '' ? text : text.replaceAll(sent, VALUE_SENT);
    return UUID.test(requestId) ? without.replaceAll(requestId, REQUEST_ID) : without;
  };
  const isCompared = (name: string) =>
    !NOT_COMPARED.has(name.toLowerCase()) && !(status === 429 && name.toLowerCase() === 'retry-after');
  return {
    status,
    headers: headers.map(([name, value]) => [name, isCompared(name) ? blank(value) : SOME_VALUE]),
    body: blank(body),
  };
}

function differentValues(left: ProbeResponse, right: ProbeResponse): readonly string[] {
  return left.headers.flatMap(([name, value], index) => {
    const other = right.headers[index]?.[1];
    return value === other ? [] : [`${name}: ${value}, not ${other}`];
  });
}
