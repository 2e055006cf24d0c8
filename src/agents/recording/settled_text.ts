/** Texts of requests without what is another one in each session: folders, ids, times, dates, versions. */
import type { SessionFolders } from "../playbook/folder_variables.ts";

/** Longer text is compared up to here: patterns are tried at each of its places. */
const longestText = 400_000;

const months =
  "Jan(?:uary)?|Feb(?:ruary)?|Mar(?:ch)?|Apr(?:il)?|May|June?|July?|Aug(?:ust)?|Sep(?:tember)?|" +
  "Oct(?:ober)?|Nov(?:ember)?|Dec(?:ember)?";
const days = "(?:Mon|Tues?|Wed(?:nes)?|Thu(?:rs)?|Fri|Sat(?:ur)?|Sun)(?:day)?";

const patterns: readonly (readonly [pattern: RegExp, name: string])[] = [
  [/https?:\/\/(?:127\.0\.0\.1|localhost):\d{2,5}/g, "<model>"],
  [/\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/gi, "<id>"],
  [/\b(?:toolu|call|msg|req|resp|chatcmpl|fc|rs|ctc|session|gemini)_[A-Za-z0-9_]{4,80}/g, "<id>"],
  [/\b(?=[0-9a-f]*\d)(?=[0-9a-f]*[a-f])[0-9a-f]{12,64}\b/g, "<id>"],
  [/\b\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?(?:Z|[+-]\d\d:?\d\d)?/g, "<time>"],
  [/\b\d{4}[-/]\d\d[-/]\d\d\b/g, "<date>"],
  [
    new RegExp(
      `\\b(?:${days},? )?(?:(?:${months})\\.? \\d{1,2}(?:,? \\d{4})?|\\d{1,2} (?:${months})\\.? \\d{4})\\b`,
      "g",
    ),
    "<date>",
  ],
  [new RegExp(`(?:\\b${days},? )?<date>`, "g"), "<date>"],
  [/\b\d\d?:\d\d(?::\d\d(?:\.\d{1,9})?)?\b(?: ?[AP]M\b)?/g, "<time>"],
  [/\bv?\d{1,6}\.\d{1,6}\.\d{1,6}(?:[-+.]\w[\w.-]{0,60})?/g, "<version>"],
  [/\b\d{1,12}(?:\.\d{1,12})? ?(?:ms|milliseconds|seconds)\b/g, "<duration>"],
];

/**
 * @param folders Folders by what stands for them; there may be more than turns have variables for.
 * @param agents Ids of the subagents that have asked up to now.
 */
export function settledText(text: string, folders: SessionFolders, agents: Iterable<string> = []): string {
  const named = [...longestFirst(folders), ...[...agents].map((id) => [id, "<agent>"] as const)]
    .reduce((rest, [from, to]) => from === "" ? rest : rest.replaceAll(from, to), text.slice(0, longestText));
  return patterns.reduce((rest, [pattern, name]) => rest.replace(pattern, name), named);
}

/** Folders with what stands for them: one within another comes first. */
const longestFirst = (folders: SessionFolders): (readonly [path: string, name: string])[] =>
  Object.entries(folders).sort(([, a], [, b]) => b.length - a.length)
    .flatMap(([name, path]) => [
      [path, `<${name}>`] as const,
      // Claude Code names folders by such words.
      [path.replaceAll(/[^A-Za-z0-9]/g, "-"), `<${name}>`] as const,
    ]);
