/** Values by the words of names and descriptions: of a property, and of the tool that it belongs to. */
import { textWords } from "../../core/text.ts";
import { repositoryName } from "../example_files/example_paths.ts";
import { describedCode } from "./code_samples.ts";
import { listedChoices } from "./listed_choices.ts";
import { numberByName } from "./numbers.ts";
import { type InputHints, pathValue } from "./path_values.ts";
import { contentWords, nameWords, phrases, png, weakWords, type WordTable } from "./value_words.ts";

/** Addresses that need no network. */
const dataUrl = "data:text/plain;base64,ZXhhbXBsZQ==";
const imageUrl = `data:image/png;base64,${png}`;

const byWords = (words: readonly string[], table: WordTable): string[] =>
  words.flatMap((word) => table.find(([sign]) => sign.test(word))?.[1] ?? []);

/** Properties that hold what their tool works on. */
const general =
  /^(?:input|inputs|text|texts|data|content|contents|value|string|str|expression|expr|code|document|doc|body|token|number|payload|raw|source|pattern|schedule|definition|diagram|query|statement|template|selector|filter|rule|encoded|schema|a|b|left|right|before|after|original|modified|old|new)$/;

/** Names of which each word is of code or content: others (`error_code`, `zip_code`) have a meaning of their own. */
const isWeak = (words: readonly string[]): boolean =>
  words.length === 1 ||
  words.every((word) =>
    general.test(word) || /^(?:snippet|script|sample|program|block|fragment|user|math)$/.test(word)
  );

const ends = /^(?:from|to|start|end|since|until|before|after|begin|deadline|due)$/;

/** Texts that a property of this name may hold, the likeliest first. */
export function namedValues(name: string, description: unknown, hints: InputHints): string[] {
  const plain = textWords(name);
  const words = [plain.join(""), ...plain.flatMap((word) => [word, word.replace(/(?<=[a-z])\d$/, "")])];
  const path = pathValue(name, description, hints);
  const about = typeof description === "string" ? description.slice(0, 500) : "";
  const told = textWords(about);
  // A tool that is named for the shell in which it works takes any content.
  const toolWords = textWords(hints.tool?.name ?? "").filter((word) => !/^(?:bash|shell|node)$/.test(word));
  const isGeneral = words.some((word) => general.test(word));
  const isCode = words.some((word) => /^(?:code|script|snippet|source)$/.test(word));
  const number = numberByName(name);
  return [
    ...path === undefined ? [] : [path],
    ...about !== "" && /\bdata ur[il]/i.test(about) ? [/\bimage\b/i.test(about) ? imageUrl : dataUrl] : [],
    ...ofRepository(plain, hints),
    ...ofSheet(plain, about),
    ...unitOf(plain, about, hints),
    ...hashOf(plain, about),
    ...languageOf(words, told, hints),
    ...isCode ? [describedCode(about)].filter((code) => code !== undefined) : [],
    ...byPhrase(plain.join(" ")),
    ...isGeneral && !isRun(name) || /base ?64/i.test(about) ? byPhrase(about) : [],
    ...byWords(words, contentWords),
    ...isRun(name) ? [] : listedChoices(description, name),
    ...isRun(name) || isGeneral ? [] : byPhrase(about),
    ...words.some((word) => ends.test(word)) ? byWords(told, contentWords) : [],
    ...byWords(words, nameWords.slice(0, -1)),
    ...isGeneral ? byWords(told, contentWords) : [],
    ...isGeneral ? byWords(toolWords, contentWords) : [],
    ...byWords(words, nameWords.slice(-1)),
    ...number === undefined ? [] : [String(number)],
    ...isWeak(plain) ? byWords(words, weakWords) : [],
  ];
}

const byPhrase = (text: string): string[] => {
  const value = phrases.find(([sign]) => sign.test(text))?.[1];
  return value === undefined ? [] : [value];
};

/** The text, for a property that names an end a day or an hour later: what ends comes after what begins. */
export function laterAtEnd(name: string, text: string): string {
  const isEnd = textWords(name).some((word) =>
    /^(?:end|ends|until|to|due|deadline|finish|stop|before|checkout|expires|expiry)$/.test(word)
  );
  if (!isEnd) return text;
  return text === "10:30" ? "11:30" : text.replace(/^2024-01-15(?=$|[T ])/, "2024-01-16");
}

/** Tools that convert take units in `from` and `to`, or times and currencies where their words say so. */
function unitOf(words: readonly string[], about: string, { tool }: InputHints): string[] {
  const isTemperature = /temperature|weather|celsius/i.test(`${words.join(" ")} ${about} ${tool?.name}`);
  if (words.some((word) => /^units?$/.test(word)) && isTemperature) {
    return [...listedChoices(about), "celsius"].slice(0, 1);
  }
  const isEnd = words.every((word) => /^(?:from|to|units?|currency|timezone|time|zone|code)$/.test(word));
  if (tool === undefined || !isEnd || !words.some((word) => /^(?:from|to)$/.test(word))) return [];
  const toolAbout = textWords(`${tool.name} ${String(tool.description ?? "").slice(0, 500)}`);
  const isOf = (sign: RegExp) => toolAbout.some((word) => sign.test(word));
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
function ofSheet(words: readonly string[], about: string): string[] {
  if (words.includes("range") && /\b[A-Z]{1,2}\d+:[A-Z]{1,2}\d+|\bcells?\b/.test(about)) return ["A1:A1"];
  if (!words.some((word) => /^(?:sheet|worksheet|sheetname)$/.test(word))) return [];
  return words.some((word) => /^(?:new|dst|dest|destination|target|to)$/.test(word))
    ? ["Sheet2"]
    : ["Sheet1"];
}

/** A hash is an algorithm where something says so, else a sum that is compared. */
function hashOf(words: readonly string[], about: string): string[] {
  if (
    words.join() !== "hash" || !/\b(?:verify|compare|check|expected|value|hash of|digest of)\b/i.test(about)
  ) return [];
  return byWords(
    [/\bmd5\b/i.test(about) ? "md5" : /\bsha-?1\b/i.test(about) ? "sha1" : "sha256"],
    contentWords,
  );
}

/** A language is one of people, unless its tool is about code. */
function languageOf(words: readonly string[], told: readonly string[], { tool }: InputHints): string[] {
  if (!words.some((word) => /^(?:language|languages|lang)$/.test(word))) return [];
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
