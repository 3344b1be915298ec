import { StartupError } from './operator-error.ts';

/** Says why a server cannot listen, by the variables that it listens by; or gives back what is no mistake in them. */
export function listenError(
  cause: unknown,
  variables: { readonly host: string; readonly port: string },
  host: string,
  port: number,
): unknown {
  const code = cause instanceof Error && 'code' in cause ? cause.code : undefined;
  if (code === 'EADDRINUSE') return new StartupError([`${variables.port}: ${port} is in use on ${host}`], { cause });
  if (code === 'EACCES')
    return new StartupError([`${variables.port}: ${port} may not be used by this account`], { cause });
  if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND') {
    return new StartupError([`${variables.host}: ${host} is no address of this machine`], { cause });
  }
  return cause;
}
