import { assertOwner, type Owner } from './ids.ts';

/**
 * Throws unless every port of `required` is an object; `caller` is the function that takes them.
 *
 * @throws {TypeError} a port is missing; the message names it
 */
export function assertPorts<P extends object>(caller: string, ports: P, required: readonly (keyof P & string)[]): void {
  for (const name of required) {
    const port: unknown = ports[name];
    if (typeof port !== 'object' || port === null) throw new TypeError(`${caller}: the port "${name}" is missing`);
  }
}

/** Binds a use case to its ports and validates the owner of every call, so that no use case has to. */
export function bind<P, Arguments extends readonly unknown[], Outcome>(
  useCase: (ports: P, owner: Owner, ...rest: Arguments) => Outcome,
  ports: P,
): (owner: Owner, ...rest: Arguments) => Outcome {
  return (owner, ...rest) => {
    assertOwner(owner);
    return useCase(ports, owner, ...rest);
  };
}
