import { parse, parsePlPgSQL } from 'libpg-query';
import {
  comparedParameters,
  everyPart,
  isPart,
  ownerNumbers,
  type Part,
  statementBreaches,
} from './statement-rules.ts';

/** A function in PL/pgSQL. */
interface ParsedFunction {
  readonly parameters: readonly string[];
  /** The statements in its body; an expression is the statement that selects it. */
  readonly statements: readonly string[];
  /** The types of the nodes in its body. */
  readonly nodes: readonly string[];
}

/** Returns the reasons why a function cannot run on the node of one owner, as sentences. */
export async function functionBreaches(definition: string): Promise<readonly string[]> {
  const { parameters, statements, nodes } = await parseFunction(definition);
  const breaches = await Promise.all(statements.map((text) => statementBreaches(text, parameters)));
  const owners = (await Promise.all(statements.map((text) => ownerNumbers(text, parameters)))).flat();
  return [
    ...new Set([
      ...breaches.flat(),
      ...owners.filter((number) => number !== 1).map(() => 'the owner is not its first parameter'),
      ...nodes.filter((node) => node === 'PLpgSQL_stmt_assign').map(() => 'a variable is assigned'),
      ...nodes.filter((node) => node.startsWith('PLpgSQL_stmt_dyn')).map(() => 'it makes the text of a statement'),
      // Without what is off, a plan costs so much that PostgreSQL compiles it.
      ...(/\bset enable_/i.test(definition) && !/\bset jit\b/i.test(definition) ? ['its plans are compiled'] : []),
    ]),
  ];
}

/** Returns the positions of the arguments that a function compares with columns, from 0. */
export async function comparedArguments(definition: string): Promise<readonly number[]> {
  const { parameters, statements } = await parseFunction(definition);
  const compared = await Promise.all(statements.map((text) => comparedParameters(text, parameters)));
  return [...new Set(compared.flat())].toSorted((left, right) => left - right);
}

/** Parses the definition of a function. */
async function parseFunction(definition: string): Promise<ParsedFunction> {
  const signature = everyPart(await parse(definition));
  const body = everyPart(await parsePlPgSQL(definition));
  return {
    parameters: signature.flatMap(({ FunctionParameter: it }) => (isPart(it) ? [String(it['name'])] : [])),
    statements: body.flatMap(({ PLpgSQL_expr: it }) => (isPart(it) ? [statementOf(it)] : [])),
    nodes: body.flatMap((part) => Object.keys(part)),
  };
}

/** The modes in which PL/pgSQL parses a statement, and an expression. The others are those of assignments. */
const STATEMENT = 0;
const EXPRESSION = 2;

function statementOf({ query, parseMode }: Part): string {
  const text = String(query);
  if (parseMode === STATEMENT) return text;
  return `select ${parseMode === EXPRESSION ? text : text.replace(/^[^=]*=/, '')}`;
}
