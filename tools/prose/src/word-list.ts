/** A word that readers stumble over, and what to write instead. */
export interface Avoided {
  readonly word: RegExp;
  readonly instead: string;
}

/**
 * Words that the project does not use in the sense that they had here. A word of the glossary that is plain English in
 * another sense ("again", "say", "name", "refuse a connection") is not listed: a check cannot distinguish the senses.
 */
export const AVOIDED_IN_TEXT: readonly Avoided[] = [
  { word: /\b(?:un)?answer(?:s|ed|ing|able)?\b/gi, instead: '"response", "return" or "reply with"' },
  { word: /\bask(?:s|ed|ing)?\b/gi, instead: '"request", "query" or "look up"' },
  { word: /\b(?:a|an|the|each|every|any|this|its|of|no|as) repeats?\b/gi, instead: '"retry" or "repeated request"' },
  { word: /\b(?:un)?judg(?:e|es|ed|ing|ement|ment)\b/gi, instead: '"validate", "parse" or "check"' },
  { word: /\blook(?:s|ed|ing)? (?:at|whether|if)\b|\ba look\b/gi, instead: '"check", "inspect" or "lookup"' },
  { word: /\bturn(?:s|ed|ing)? away\b/gi, instead: '"reject"' },
  { word: /\b(?:tell(?:s|ing)?|told)\b/gi, instead: '"return", "report" or "log"; of two things, "distinguish"' },
  { word: /\bremember(?:s|ed|ing)?\b/gi, instead: '"record", "store" or "keep"' },
  { word: /\b(?:write|writes|wrote|written|writing) down\b/gi, instead: '"record" or "store"' },
  { word: /\bnobody(?:'s)?\b/gi, instead: '"no one", "anonymous" or "unauthenticated"' },
  { word: /\bstrangers?\b/gi, instead: '"another owner", "another tenant" or "unknown client"' },
  { word: /\banother one's\b/gi, instead: '"of another owner"' },
  {
    word: /\b(?:is|are|was|were|be|been) over(?=[.,;:)]|$| (?:when|before|and|for|by)\b)/gi,
    instead: '"has expired" or "has ended"',
  },
  { word: /\bplant(?:s|ed|ing)?\b/gi, instead: '"inject" (a fault) or "seed" (a bug)' },
  { word: /\blies? beside\b|\bmeasured beside\b/gi, instead: '"baseline" or "comparison server"' },
  { word: /\bwhether \S+ (?:is|are) well\b/gi, instead: '"probe" or "health check"' },
  { word: /\bborders?\b/gi, instead: '"boundary" or "edge case"' },
  { word: /\bstands? between\b/gi, instead: '"implementation" or "adapter"' },
  {
    word: /\b(?:there|here) (?:is|are|was|were) none\b|\bdefault nobody\b/gi,
    instead: '"none", "no-op" or "not provided"',
  },
  { word: /\b(?:hold|holds|held|holding) on to\b/gi, instead: '"lease", "lock" or "claim"' },
  { word: /\bforg(?:et|ets|etting|ot|otten)\b/gi, instead: '"discard", "delete", "evict" or "purge"' },
  { word: /\brecall(?:s|ed|ing)?\b/gi, instead: '"recorded response" or "idempotency record"' },
  { word: /\bwhoever\b/gi, instead: 'a noun, such as "the caller"' },
  { word: /\banew\b/gi, instead: '"again" or "new"' },
];

/** The same for identifiers, whose words are compared one by one. */
export const AVOIDED_IN_IDENTIFIERS: readonly Avoided[] = [
  { word: /^(?:un)?answer(?:s|ed|ing|able)?$/i, instead: '"response", "return" or "reply"' },
  { word: /^ask(?:s|ed|ing)?$/i, instead: '"request", "query" or "find"' },
  { word: /^(?:un)?judg(?:e|es|ed|ing|ement|ment)$/i, instead: '"validate", "parse" or "check"' },
  { word: /^(?:tell|tells|told)$/i, instead: '"return", "report" or "log"' },
  { word: /^remember(?:s|ed)?$/i, instead: '"record", "store" or "keep"' },
  { word: /^nobod(?:y|ys)$/i, instead: '"anonymous" or "none"' },
  { word: /^strangers?$/i, instead: '"other owner" or "unknown"' },
  { word: /^plant(?:s|ed)?$/i, instead: '"inject" or "seed"' },
  { word: /^forg(?:et|ets|ot|otten)$/i, instead: '"discard", "delete", "evict" or "purge"' },
  { word: /^recall(?:s|ed)?$/i, instead: '"recorded response" or "idempotency record"' },
  { word: /^whoever$/i, instead: 'a noun, such as "caller"' },
  { word: /^anew$/i, instead: '"again" or "new"' },
];
