import { readFile } from 'node:fs/promises';
import { stripTypeScriptTypes } from 'node:module';
import { resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { defineOrders, type OrderDefinition } from '@orders/domain';
import { customFrom } from '@orders/domain/custom';
import { err, ok, type Result } from 'neverthrow';
import { z } from 'zod';
import { reasonOf } from '../operator-error.ts';
import type { DefinitionTools } from './definition-module.ts';

const MODULE = /\.m?[jt]s$/;

const TOOLS: DefinitionTools = { defineOrders, customFrom, z };

/**
 * Runs the module of a definition of orders, once for a path. Returns one line if it has none: the file, the line if known, and
 * what is wrong. The module is code of the operator, with all rights of the process.
 */
export async function readDefinition(path: string): Promise<Result<OrderDefinition, string>> {
  const file = resolve(path);
  if (!MODULE.test(file)) return err(`${path}: must be a module, whose name ends in .ts, .mts, .js or .mjs`);
  try {
    const module: unknown = await import(pathToFileURL(file).href);
    const define: unknown = Reflect.get(Object(module), 'default');
    if (typeof define !== 'function')
      return err(`${path}: must export a function by default: export default ({ defineOrders }) => defineOrders(…)`);
    const defined: unknown = Reflect.apply(define, undefined, [TOOLS]);
    return isDefinition(defined)
      ? ok(defined)
      : err(`${path}: the function that it exports must return what defineOrders returns, and no promise`);
  } catch (cause) {
    if (reasonOf(cause).startsWith(`Cannot find module '${file}'`)) return err(`${path}: does not exist`);
    const line = lineIn(file, cause) ?? (cause instanceof SyntaxError ? await lineOfSyntaxError(file) : undefined);
    return err(`${path}${line === undefined ? '' : `:${line}`}: ${reasonOf(cause)}`);
  }
}

/** Whether a value is from {@link defineOrders}, of this copy of the domain or another one. */
function isDefinition(value: unknown): value is OrderDefinition {
  return typeof value === 'object' && value !== null && 'lifecycle' in value && 'entries' in value;
}

/** Returns the line and column of a file that an error is about, as in `3:14`. */
function lineIn(file: string, cause: unknown): string | undefined {
  const stack = cause instanceof Error ? (cause.stack ?? '') : '';
  for (const [, path = '', line] of stack.matchAll(/(?:^|\(|at )((?:file:\/\/)?\/.*?):(\d+(?::\d+)?)\)?$/gm))
    if ((path.startsWith('file:') ? fileURLToPath(path) : path) === file) return line;
  return undefined;
}

/** Returns the line of the first fault of syntax: the error of an import has none. */
async function lineOfSyntaxError(file: string): Promise<string | undefined> {
  try {
    stripTypeScriptTypes(await readFile(file, 'utf8'), { sourceUrl: file });
    return undefined;
  } catch (cause) {
    return lineIn(file, cause);
  }
}
