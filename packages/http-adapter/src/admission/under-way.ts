import type { ServerResponse } from 'node:http';
import type { FastifyReply, preParsingHookHandler, preValidationHookHandler, RequestPayload } from 'fastify';
import { sendsBody } from '../connection/request-head.ts';
import { OVERLOADED, PIECES_MAX, SHED, TOO_MANY_PIECES } from '../problems/from-framework.ts';
import { type BaseUrl, sendProblem } from '../problems/problem.ts';
import { stateOf } from '../request-state.ts';

/** The bounds of the requests under way. */
interface Bounds {
  /** Maximum number of requests. */
  readonly requestsMax: number;
  /** Maximum bytes of bodies, as announced or else as they arrive. */
  readonly bytesMax: number;
}

/** What an owner has under way, or an address without one. */
interface Share {
  readonly key: string;
  requests: number;
  bytes: number;
}

/** A request under way. */
export interface Place {
  /** `undefined` once the request has left. */
  share: Share | undefined;
  readonly response: ServerResponse | undefined;
  /** Rises with the arrival. */
  readonly number: number;
  /** The index among all places. */
  index: number;
  /** The bytes of its body. */
  bytes: number;
  /** Rejects the request while its body arrives; `undefined` before and after that. */
  reject: ((place: Place) => void) | undefined;
  /** What that needs. */
  reply: FastifyReply | undefined;
  payload: RequestPayload | undefined;
}

const PLACE: unique symbol = Symbol('orders: place');

type PlacedResponse = ServerResponse & { [PLACE]?: Place };

function placed(response: ServerResponse): PlacedResponse {
  return response;
}

/** Returns the place of a request by its response, if it has one. */
function placeOf(response: ServerResponse): Place | undefined {
  return placed(response)[PLACE];
}

/** Maximum number of shares. When there are more, those without requests are discarded. */
const SHARES_MAX = 10_000;

export type UnderWay = ReturnType<typeof underWay>;

/**
 * Divides the requests that a server works at, and the bytes of their bodies, among owners and addresses.
 *
 * A key gets a place while it has fewer than are free: one alone half of them, two a third each. A request beyond that
 * takes the place of another one whose body has not arrived, the newest of the key that has most, if that has more than its own.
 * The same holds for the bytes of bodies. So a slow sender keeps no others out, and what is complete runs to its end.
 *
 * A request has its place until its response is written, even if the client does not read it. Shares stay when they are
 * empty, because a map whose members come and go keeps garbage alive, see `IntrusiveSet`.
 */
export function underWay({ requestsMax, bytesMax }: Bounds) {
  /** Includes requests whose response is written. Those are removed when a request has no place. */
  const places: Place[] = [];
  let shares = new Map<string, Share>();
  let arrivals = 0;
  let bytes = 0;

  const shareOf = (key: string): Share => {
    const known = shares.get(key);
    if (known) return known;
    const share = { key, requests: 0, bytes: 0 };
    if (shares.size >= SHARES_MAX)
      shares = new Map(places.flatMap((each) => (each.share ? [[each.share.key, each.share]] : [])));
    shares.set(key, share);
    return share;
  };
  const put = (place: Place, share: Share): void => {
    place.share = share;
    share.requests += 1;
    share.bytes += place.bytes;
    bytes += place.bytes;
    place.index = places.push(place) - 1;
  };
  const leave = (place: Place): void => {
    const { share, index } = place;
    if (!share) return;
    place.share = undefined;
    place.reject = undefined;
    share.requests -= 1;
    share.bytes -= place.bytes;
    bytes -= place.bytes;
    const last = places.pop();
    if (!last || last === place) return;
    places[index] = last;
    last.index = index;
  };
  function leaveAtClose(this: PlacedResponse): void {
    if (this[PLACE]) leave(this[PLACE]);
  }
  const removeWritten = (): void => {
    for (let index = places.length - 1; index >= 0; index -= 1) {
      const place = places[index];
      if (place?.response?.writableEnded) leave(place);
    }
  };
  /** Rejects the newest request whose body has not arrived, of the key that has most of `what`. Returns whether one was. */
  const rejectNewest = (what: 'requests' | 'bytes', least: number): boolean => {
    let newest: Place | undefined;
    for (const place of places) {
      if (!place.reject || !place.share || place.share[what] <= least) continue;
      if (what === 'bytes' && place.bytes === 0) continue;
      const more = newest?.share ? place.share[what] - newest.share[what] : 1;
      if (!newest || more > 0 || (more === 0 && place.number > newest.number)) newest = place;
    }
    const reject = newest?.reject;
    if (!newest || !reject) return false;
    leave(newest);
    reject(newest);
    return true;
  };
  const isBeyond = (share: Share): boolean => share.requests + places.length >= requestsMax;
  return {
    /** Takes a place for work of `key`, until its response ends it, or `leave`. Returns `undefined` if none is free. */
    enter: (key: string, response?: ServerResponse): Place | undefined => {
      const share = shareOf(key);
      if (isBeyond(share)) {
        removeWritten();
        if (isBeyond(share) && !rejectNewest('requests', share.requests + 1)) return undefined;
      }
      arrivals += 1;
      const place: Place = {
        share: undefined,
        response,
        number: arrivals,
        index: 0,
        bytes: 0,
        reject: undefined,
        reply: undefined,
        payload: undefined,
      };
      // Without a client no event would end it.
      if (response?.closed) return place;
      put(place, share);
      if (response) {
        placed(response)[PLACE] = place;
        // Fastify calls no hook when the client disconnects before the response.
        response.on('close', leaveAtClose);
      }
      return place;
    },
    leave,
    /** Adds bytes of a body. May reject its request, or another one. */
    hold: (place: Place, added: number): void => {
      const { share } = place;
      if (!share) return;
      place.bytes += added;
      share.bytes += added;
      bytes += added;
      if (share.bytes + bytes <= bytesMax) return;
      removeWritten();
      while (share.bytes + bytes > bytesMax && rejectNewest('bytes', share.bytes - 1));
    },
    /** Leaves the place of a response, for example while its request only waits. Returns the function that takes it again. */
    pause: (response: ServerResponse) => {
      const place = placeOf(response);
      const key = place?.share?.key;
      if (place) leave(place);
      return () => {
        // The client may have disconnected meanwhile, after which no event removes the response.
        if (place && key !== undefined && !response.closed && !response.writableEnded) put(place, shareOf(key));
      };
    },
  };
}

/** What a piece of a body takes in memory besides its bytes. */
const PIECE_BYTES = 256;

/**
 * Returns the hooks of the bodies of a route: before anything waits for a body, before it is read, and after it. While a body
 * arrives, the server may reject its request, for which `onShed` is called.
 *
 * A body counts as many bytes as it announces, otherwise those that have arrived. One in more than {@link PIECES_MAX} pieces is
 * rejected: each costs about as much as 100 bytes, so that a body in chunks of one byte would take a hundred times as long.
 */
export function arrivingBodies({ hold }: UnderWay, bodyLimit: number, onShed: () => void, baseUrl: BaseUrl) {
  const rejectWaiting = ({ reply }: Place): void => {
    if (!reply || stateOf(reply.request).responds) return;
    onShed();
    void sendProblem(reply, OVERLOADED, baseUrl);
  };
  const rejectReading = (place: Place): void => {
    if (fail(place, SHED)) onShed();
  };
  /** The first hook `preParsing`. */
  const begin: preParsingHookHandler = (request, reply, _payload, done) => {
    const place = sendsBody(request.raw) ? placeOf(reply.raw) : undefined;
    if (!place) return done();
    place.reply = reply;
    place.reject = rejectWaiting;
    // No more than the route accepts are read.
    hold(place, Math.min(Number(request.headers['content-length'] ?? 0), bodyLimit));
    if (!stateOf(request).responds) done();
  };
  /** The last hook `preParsing`. */
  const read: preParsingHookHandler = (request, reply, payload, done) => {
    // It would never arrive.
    if (payload.readableDidRead) return done(new TypeError(CONSUMED));
    stateOf(request).readsBody = true;
    const place = placeOf(reply.raw);
    if (!place?.reject) return done();
    place.payload = payload;
    place.reject = rejectReading;
    const isAnnounced = place.bytes > 0;
    let left = PIECES_MAX;
    payload.on('data', (piece: Buffer) => {
      left -= 1;
      if (left === -1) fail(place, TOO_MANY_PIECES);
      else if (left >= 0) hold(place, PIECE_BYTES + (isAnnounced ? 0 : piece.length));
    });
    done();
  };
  /** The first hook after the body. */
  const end: preValidationHookHandler = (request, reply, done) => {
    stateOf(request).readsBody = false;
    const place = placeOf(reply.raw);
    if (place) place.reject = undefined;
    done();
  };
  return { begin, read, end };
}

const CONSUMED =
  'the body was read before the request came to the orders API: mount the API before express.json() and other parsers';

/** Ends the reading of a body. Returns false if it has ended: then the response is on its way. */
function fail({ payload }: Place, code: string): boolean {
  if (!payload || payload.listenerCount('error') === 0) return false;
  payload.emit('error', Object.assign(new Error('the body is not read to its end'), { code }));
  return true;
}
