/** Whether two types are the same, also in `any` and optional members. */
type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;

/** Accepts a value whose type is exactly `Expected`. A test of types calls it, and nothing runs it. */
export declare function exactly<Expected>(): <Actual>(
  value: Same<Expected, Actual> extends true ? Actual : { readonly 'the type is another one': Actual },
) => void;
