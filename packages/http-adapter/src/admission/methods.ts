import { readTarget } from '../connection/request-head.ts';

/** A path and its methods, to distinguish an unsupported method from an unknown path. */
export interface KnownPath {
  readonly path: string;
  readonly methods: readonly string[];
  /** The media types of PATCH bodies, if the path supports PATCH (RFC 5789 section 3.1). */
  readonly acceptPatch?: string;
}

/** Finds the known path that matches `url`, like the router. `:name` matches any segment. */
export function findPath(paths: readonly KnownPath[], url: string): KnownPath | undefined {
  const path = decodeURI(readTarget(url).path);
  return paths.find((known) => matcher(known.path).test(path));
}

const matchers = new Map<string, RegExp>();

function matcher(path: string): RegExp {
  const known = matchers.get(path) ?? patternOf(path);
  matchers.set(path, known);
  return known;
}

function patternOf(path: string): RegExp {
  const literally = path.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`);
  return new RegExp(`^${literally.replaceAll(/:[a-z_]+/g, '[^/]*')}$`);
}

/** Returns the headers that list the methods of a path. */
export function allowHeaders({ methods, acceptPatch }: KnownPath): { allow: string; 'accept-patch'?: string } {
  const allow = [...methods, ...(methods.includes('GET') ? ['HEAD'] : []), 'OPTIONS'].toSorted().join(', ');
  return acceptPatch === undefined ? { allow } : { allow, 'accept-patch': acceptPatch };
}
