/** Values by the words of names and descriptions: of a property, and of the tool that it belongs to. */
import { textWords } from "../../core/text.ts";
import { repositoryName } from "../example_files/example_paths.ts";
import { type InputHints, pathValue } from "./path_values.ts";

type Table = readonly (readonly [RegExp, string])[];

const token =
  "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJzdWIiOiJleGFtcGxlIn0.c2lnbmF0dXJlLW9mLW5vLW9uZS1hdC1hbGwtMDEyMzQ1Njc";

/** An address that needs no network. */
const dataUrl = "data:text/plain;base64,ZXhhbXBsZQ==";

/** Kinds of content, also where the property has a general name and only its tool or its description says the kind. */
const contentWords: Table = [
  [/^cron(?:tab)?$/, "0 9 * * 1"],
  [/^jwts?$/, token],
  [/^(?:luhn|card)$/, "4111 1111 1111 1111"],
  [/^jsonpath$/, "$"],
  [/^xpath$/, "//a"],
  [/^(?:jsonl|ndjson)$/, '{"name":"example","value":1}'],
  [/^json5?$/, '{"name":"example","value":1}'],
  [/^ya?ml$/, "name: example\nvalue: 1\n"],
  [/^toml$/, 'name = "example"\nvalue = 1\n'],
  [/^csvs?$/, "name,value\nexample,1\n"],
  [/^tsv$/, "name\tvalue\nexample\t1\n"],
  [/^(?:html|dom)$/, "<p>example</p>"],
  [/^(?:xml|rss)$/, "<a>example</a>"],
  [/^svg$/, '<svg xmlns="http://www.w3.org/2000/svg" width="10" height="10"></svg>'],
  [/^css$/, "p { color: #336699; }"],
  [/^(?:markdown|md)$/, "# Example\n\nexample\n"],
  [/^mermaid$/, "graph TD\n  A[Start] --> B[End]"],
  [/^(?:sql|ddl)$/, "SELECT 1"],
  [/^(?:regex|regexp)$/, "[a-z]+"],
  [/^base64$/, "ZXhhbXBsZQ=="],
  [/^(?:hex|hexadecimal)$/, "6578616d706c65"],
  [/^base32$/, "MV4GC3LQNRSQ===="],
  [/^uuids?$/, "123e4567-e89b-42d3-a456-426614174000"],
  [/^ulids?$/, "01ARZ3NDEKTSV4RRFFQ69G5FAV"],
  [/^cidr$/, "192.0.2.0/24"],
  [/^(?:ip|ipv4)$/, "192.0.2.1"],
  [/^ipv6$/, "2001:db8::1"],
  [/^(?:url|urls|uri)$/, "https://example.com/"],
  [/^(?:email|mail)$/, "user@example.com"],
  [/^(?:semver|semantic)$/, "1.0.0"],
  [/^(?:color|colour)$/, "#336699"],
  [/^(?:datetime|timestamp|timestamps)$/, "2024-01-15T10:30:00Z"],
  [/^timezones?$/, "UTC"],
  [/^(?:date|dates)$/, "2024-01-15"],
  [/^(?:python|py)$/, "print(1 + 1)"],
  [/^(?:javascript|typescript|js|ts|node)$/, "console.log(1 + 1)"],
  [/^(?:bash|shell)$/, "echo pth-example"],
  [/^(?:fen)$/, "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"],
];

/** Values by a word in the property's name; the first that fits stands. */
const nameWords: Table = [
  [/^(?:href|link|endpoint|website|webpage)$/, "https://example.com/"],
  [/^day$/, "2024-01-15"],
  [/^(?:tz|zone)$/, "UTC"],
  [/^time$/, "10:30"],
  [/^duration$/, "PT1H"],
  [/^id$/, "1"],
  [/^(?:lang|locale)$/, "en"],
  [/^country$/, "US"],
  [/^currency$/, "USD"],
  [/^city$/, "Berlin"],
  [/^(?:host|hostname)$/, "localhost"],
  [/^domain$/, "example.com"],
  [/^phone$/, "+15550100"],
  [/^version$/, "1.0.0"],
  [/^glob$/, "*.txt"],
  [/^(?:command|cmd)$/, "echo pth-example"],
  [/^units?$/, "m"],
  [/^encoding$/, "utf-8"],
  [/^(?:mime|mimetype)$/, "text/plain"],
  [/^(?:algorithm|hash|digest)$/, "sha256"],
  [/^branch$/, "main"],
  [/^(?:ref|revision|commit|commitish)$/, "HEAD"],
  [/^remote$/, "origin"],
  [/^numbers?$/, "42"],
];

/** Names that say little: the tool and the description say more. */
const weakWords: Table = [
  [/^(?:expression|formula|equation|expr)$/, "1 + 1"],
  [/^(?:code|script|snippet|source)$/, "console.log(1 + 1)"],
  [/^query$/, "example"],
  [/^(?:digits|numeric|binary)$/, "101"],
];

const byWords = (words: readonly string[], table: Table): string[] =>
  words.flatMap((word) => table.find(([sign]) => sign.test(word))?.[1] ?? []);

/** Properties that hold what their tool works on. */
const general =
  /^(?:input|inputs|text|texts|data|content|contents|value|string|str|expression|expr|code|document|doc|body|token|number|payload|raw|source|pattern|schedule|a|b|left|right|before|after|original|modified|old|new)$/;

/** Texts that a property of this name may hold, the likeliest first. */
export function namedValues(name: string, description: unknown, hints: InputHints): string[] {
  const plain = textWords(name);
  const words = [plain.join(""), ...plain.flatMap((word) => [word, word.replace(/(?<=[a-z])\d$/, "")])];
  const path = pathValue(name, description, hints);
  const told = textWords(typeof description === "string" ? description.slice(0, 500) : "");
  // A tool that is named for the shell in which it works takes any content.
  const toolWords = textWords(hints.tool?.name ?? "").filter((word) => !/^(?:bash|shell|node)$/.test(word));
  const isGeneral = words.some((word) => general.test(word));
  return [
    ...path === undefined ? [] : [path],
    ...typeof description === "string" && /\bdata ur[il]/i.test(description) ? [dataUrl] : [],
    ...ofRepository(plain, hints),
    ...ofSheet(plain, description),
    ...unitOf(plain, hints),
    ...languageOf(words, told, hints),
    ...byWords(words, contentWords),
    ...byWords(words, nameWords.slice(0, -1)),
    ...isGeneral ? byWords(told, contentWords) : [],
    ...isGeneral ? byWords(toolWords, contentWords) : [],
    ...byWords(words, nameWords.slice(-1)),
    ...byWords(words, weakWords),
  ];
}

/** Tools that convert take units in `from` and `to`, or times and currencies where their words say so. */
function unitOf(words: readonly string[], { tool }: InputHints): string[] {
  const isEnd = words.every((word) => /^(?:from|to|units?|currency|timezone|time|zone|code)$/.test(word));
  if (tool === undefined || !isEnd || !words.some((word) => /^(?:from|to)$/.test(word))) return [];
  const about = textWords(`${tool.name} ${String(tool.description ?? "").slice(0, 500)}`);
  const isOf = (sign: RegExp) => about.some((word) => sign.test(word));
  if (isOf(/^currenc/)) return words.includes("from") ? ["USD"] : ["EUR"];
  if (isOf(/^(?:timezones?|zone)$/)) return ["UTC"];
  const isMeasure = isOf(/^convert/) && isOf(/^units?$|^length$|^weight$|^temperature$/);
  return isMeasure ? [words.includes("from") ? "m" : "km"] : [];
}

/** Names in the example repository: a branch to be made is a new one; what git clones is that repository. */
function ofRepository(words: readonly string[], { tool, files = "" }: InputHints): string[] {
  const toolWords = textWords(tool?.name ?? "");
  const isSaid = (sign: RegExp, among: readonly string[] = words) => among.some((word) => sign.test(word));
  if (!isSaid(/^(?:git|branch|tag|repo|repository)$/, toolWords)) return [];
  if (isSaid(/^clone$/, toolWords)) {
    const isSource = isSaid(/^(?:url|repo|repository|source)$/) && files.startsWith("/");
    return isSource ? [`file://${files}/${repositoryName}`] : [];
  }
  if (isSaid(/^(?:create|new|add)$/, [...toolWords, ...words]) && isSaid(/^(?:branch|tag|name)$/)) {
    return ["pth-example"];
  }
  if (isSaid(/^branch$/)) return ["main"];
  if (isSaid(/^tag$/)) return ["v1.0.0"];
  return isSaid(/^(?:target|source|upstream|onto|base|head|commits?|rev|revision|object|ref|start|since)$/)
    ? ["HEAD"]
    : [];
}

/** Cells of the example spreadsheet: one cell fits the smallest table; a sheet to be made is a new one. */
function ofSheet(words: readonly string[], description: unknown): string[] {
  if (words.includes("range") && /\b[A-Z]{1,2}\d+:[A-Z]{1,2}\d+/.test(String(description))) return ["A1:A1"];
  if (!words.some((word) => /^(?:sheet|worksheet|sheetname)$/.test(word))) return [];
  return words.some((word) => /^(?:new|dst|dest|destination|target|to)$/.test(word))
    ? ["Sheet2"]
    : ["Sheet1"];
}

/** A language is one of people, unless its tool is about code. */
function languageOf(words: readonly string[], told: readonly string[], { tool }: InputHints): string[] {
  if (!words.some((word) => /^(?:language|languages)$/.test(word))) return [];
  const about = [...told, ...textWords(tool?.name ?? "")];
  const isCode = about.some((word) =>
    /^(?:code|programming|syntax|snippet|execute|highlight|script|ast)$/.test(word)
  );
  return [isCode ? "javascript" : "en"];
}

/** Whether only values that are known to be harmless may be sent: what runs is never taken from a description. */
export const isRun = (name: string): boolean =>
  textWords(name).some((word) =>
    /^(?:command|commands|cmd|shell|script|exec|sql|args|url|uri|recipients?|host|hostname|email|phone)$/
      .test(word)
  );
