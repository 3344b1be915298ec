/** The texts of a JSON document, those before a colon as names, and where objects and lists begin and end. */
const TOKENS = /("(?:[^"\\]|\\.)*")(\s*:)?|[[{\]}]/g;

/** Whether each member of a JSON object comes once: `JSON.parse` keeps the last of a name. The JSON must be sound. */
export function hasUniqueMembers(json: string): boolean {
  const names: string[] = [];
  let depth = 0;
  for (const [token, text, colon] of json.matchAll(TOKENS)) {
    if (token === '{' || token === '[') depth += 1;
    if (token === '}' || token === ']') depth -= 1;
    // Two spellings of a name are one name.
    if (text !== undefined && colon !== undefined && depth === 1) names.push(String(JSON.parse(text)));
  }
  return new Set(names).size === names.length;
}
