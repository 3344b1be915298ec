import type { OrderDefinition } from './orders/definition/order-definition.ts';
import type { Fault } from './orders/definition/definition-faults.ts';
import type { DefaultDefinition } from './orders/order-lifecycle.ts';
import { assertOwner, type Owner, type ResourceId } from './shared/ids.ts';

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

/**
 * Throws if `port` was created for another definition of orders. A port that states none is not checked.
 *
 * @throws {TypeError} the message names the port and the statuses of its definition
 */
export function assertDefinitionOf(
  caller: string,
  name: string,
  port: { readonly definition?: OrderDefinition | undefined },
  definition: OrderDefinition,
): void {
  const { definition: own = definition } = port;
  // Two definitions may be made of the same file.
  if (JSON.stringify(own) !== JSON.stringify(definition))
    throw new TypeError(
      `${caller}: the port "${name}" is for other orders, with the statuses ${own.statuses.join(', ')}`,
    );
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

/** Use cases of which some have another type of input, which stands behind the owner, or behind an id. */
export type WithInputs<UseCases, Inputs> = Omit<UseCases, keyof Inputs> & {
  readonly [Name in keyof Inputs & keyof UseCases]: WithInput<UseCases[Name], Inputs[Name]>;
};

type WithInput<UseCase, Input> = UseCase extends (
  owner: Owner,
  id: string,
  input: never,
  options?: infer Options,
) => infer Outcome
  ? (owner: Owner, id: string | ResourceId, input?: Input, options?: Options) => Outcome
  : UseCase extends (owner: Owner, input: never, options?: infer Options) => infer Outcome
    ? (owner: Owner, input?: Input, options?: Options) => Outcome
    : never;

/** What follows ports: their definition, which may be absent if the port states it, or if it is the default one. */
export type DefinitionBeside<Port, D extends OrderDefinition, Given> = [Port] extends [
  { readonly definition: OrderDefinition },
]
  ? [definition?: SameDefinition<D, Given>]
  : [D] extends [DefaultDefinition]
    ? [definition?: SameDefinition<D, Given>]
    : [definition: SameDefinition<D, Given>];

type SameDefinition<D, Given> = [Given] extends [D] ? Given : Fault<'the ports are for orders of another definition'>;
