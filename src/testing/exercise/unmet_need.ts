/** Reads from a tool's refusal what it lacked. */
import type { UnmetNeed } from "../../../machines/model/tool_exercise.ts";

/** The first that fits counts: what is more special comes before what any refusal may mention. */
const signs: [UnmetNeed, RegExp][] = [
  ["task support", /task[- ]augmented|task support|taskSupport|requires? (?:a )?task\b/i],
  [
    "browser",
    /playwright|puppeteer|webdriver|selenium|chromium|\bchrome\b|browser (?:is )?not|executable doesn'?t exist/i,
  ],
  [
    "credential",
    /\bapi[ _-]?keys?\b|credential|unauthori[sz]ed|unauthenticated|authenticat|\b(?:401|403)\b|forbidden|not logged in|log ?in first|password|access[ _-]?token|auth[ _-]?token|_(?:TOKEN|KEY|SECRET)\b|subscription/i,
  ],
  [
    "network",
    /getaddrinfo|ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ENETUNREACH|EHOSTUNREACH|ETIMEDOUT|network is unreachable|(?:could not|cannot|failed to) resolve (?!(?:\w+ ){0,2}(?:path|file|folder|directory|module|import|reference|symbol|type)\b)|name resolution|nodename nor servname|fetch failed|failed to fetch|connection (?:refused|reset|error|timed out)|connect(?:ion)? timeout|certificate|max retries exceeded|dial tcp|no route to host|ECONNABORTED|UND_ERR_|net::ERR_|socket hang up|network error|name or service not known|timeout of \d+ ?ms|rate limit|too many requests|service unavailable/i,
  ],
  [
    "database",
    /\b(?:postgres(?:ql)?|mysql|mariadb|mongodb?|redis|sqlite|database)\b|connection string|sql server/i,
  ],
  ["program", /spawn \S+ ENOENT|command not found|executable file not found|is not installed/i],
  [
    "value",
    /\bmust be (?:one of|an? |of type|in |between|at (?:least|most)|greater|less|non-?empty|positive|absolute|finite|\d)|\bmust (?:contain|match|start with|end with)\b|\bexpected one of|\b(?:is|are) required\b|\bmissing (?:required )?(?:parameter|argument|propert|field)|invalid (?:value|format|argument|parameter|enum)|\binvalid [\w-]+(?: [\w-]+){0,3}(?::|$)|unknown (?:\w+ )?(?:value|option|format|type|language|unit)|not a valid|unsupported|\bnot both\b|cannot specify both/i,
  ],
];

/** Kind of thing that a refusal says it lacks; `fixture`, something that must be there before, where no word tells more. */
export const unmetNeed = (refusal: string): UnmetNeed =>
  signs.find(([, sign]) => sign.test(refusal.slice(0, 4000)))?.[0] ?? "fixture";

/** Words for each need, as in "needs the network". */
export const needWords: Record<UnmetNeed, string> = {
  network: "the network",
  credential: "a credential",
  browser: "a browser",
  database: "a database",
  program: "a program",
  "task support": "task support",
  value: "another value",
  fixture: "a fixture",
};

/** Note of a test whose call was refused. @param refusal the tool's own words, in one line */
export const refusalNote = (refusal: string): string =>
  `refused: needs ${needWords[unmetNeed(refusal)]}: ${refusal || "(no words)"}`;

const note = new RegExp(`refused: needs (?:${Object.values(needWords).join("|")}): (.*)`, "s");

/** The tool's own words in a note that `refusalNote` wrote, or undefined in another. */
export const refusedWords = (text = ""): string | undefined => note.exec(text)?.[1];
