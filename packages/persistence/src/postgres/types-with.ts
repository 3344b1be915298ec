import pg, { type CustomTypesConfig } from 'pg';

/**
 * Returns the type parsers of `pg`, with others for some types, by their numbers. The `TypeOverrides` of `pg` are not exported
 * by all of its releases.
 */
export function typesWith(parsers: Readonly<Record<number, (text: string) => unknown>>): CustomTypesConfig {
  const getTypeParser = (type: number, format?: 'text' | 'binary'): unknown =>
    (format === 'binary' ? undefined : parsers[type]) ?? pg.types.getTypeParser(type, format);
  return { getTypeParser: getTypeParser as CustomTypesConfig['getTypeParser'] };
}
