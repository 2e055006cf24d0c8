/** Values that a description names: its examples, its choices, its default, the form that it asks for. */

/** Characters of a description that are read: what comes later is no example of its first lines. */
const longestRead = 1000;
const mostValues = 5;

const quoted = /`([^`\n]{1,200})`|"([^"\n]{1,200})"|(?<![\p{L}\p{N}])'([^'\n]{1,200})'(?![\p{L}\p{N}])/gu;
const exampleMark =
  /\b(?:e\.\s?g\b\.?|examples?\b(?!\s+of\b)|for instance\b|such as\b|i\.\s?e\b\.?|in the form(?: of)?\b|ex\.)[,:]?\s*/gi;
const choiceMark =
  /\b(?:one of(?: the following)?:?|(?:valid|allowed|possible|supported|available|accepted)(?: [a-z]+)?(?: are)?:|(?:options|values|choices|modes|types|formats)(?: are:?|:)|either(?=\s["'`]))\s*/gi;
const defaultMark = /\bdefaults?(?: value)?(?: is| to|:|=)\s*/gi;

/** Forms of dates and times, the longest first, since it holds the others. */
const forms: [RegExp, string][] = [
  [/YYYY-MM-DD[T ]HH:mm(?::ss)?(?:\.SSS)?Z/i, "2024-01-15T10:30:00Z"],
  [/YYYY-MM-DDTHH:mm(?::ss)?/i, "2024-01-15T10:30:00"],
  [/YYYY-MM-DD HH:mm:ss/i, "2024-01-15 10:30:00"],
  [/YYYY-MM-DD HH:mm/i, "2024-01-15 10:30"],
  [/YYYY-MM-DD/i, "2024-01-15"],
  [/YYYY\/MM\/DD/i, "2024/01/15"],
  [/DD\/MM\/YYYY/i, "15/01/2024"],
  [/MM\/DD\/YYYY/i, "01/15/2024"],
  [/DD\.MM\.YYYY/i, "15.01.2024"],
  [/YYYY-MM/i, "2024-01"],
  [/YYYYMMDD/i, "20240115"],
  [/HH:mm:ss/i, "10:30:00"],
  [/HH:mm/i, "10:30"],
  [/\bISO[- ]?8601\b(?=.{0,20}\bduration)/i, "P1D"],
  [/\bISO[- ]?8601\b|\bRFC[- ]?3339\b|\bISO (?:date|timestamp|format)/i, "2024-01-15T10:30:00Z"],
  [/\b24[- ]hour\b/i, "10:30"],
];

/** Values that a description names, the likeliest first; each is safe to send. */
export function describedValues(description: unknown): string[] {
  if (typeof description !== "string") return [];
  const text = description.slice(0, longestRead);
  const form = forms.find(([sign]) => sign.test(text))?.[1];
  const all = [
    ...jsonIn(text),
    ...after(text, exampleMark),
    ...form === undefined ? [] : [form],
    ...after(text, choiceMark),
    ...bareChoices(text),
    ...after(text, defaultMark).filter((value) => !/^(?:undefined|null|none|current|auto)\b/i.test(value)),
  ];
  return [...new Set(all)].filter((value) => isSafe(value)).slice(0, mostValues);
}

/** Objects and lists that a description of JSON shows. */
function jsonIn(text: string): string[] {
  if (!/\bjson\b/i.test(text)) return [];
  return [...text.matchAll(/\{[^{}]{1,300}\}|\[[^[\]]{1,300}\]/g)].slice(0, 5).map(([found]) => found).filter(
    (found) => {
      try {
        JSON.parse(found);
        return true;
      } catch {
        // Brackets around words are no JSON.
        return false;
      }
    },
  );
}

/** Texts behind each mark, up to the end of its sentence or bracket: quoted texts, else bare words. */
function after(text: string, mark: RegExp): string[] {
  return [...text.matchAll(mark)].slice(0, 10).flatMap((found) => {
    const start = found.index + found[0].length;
    const part = text.slice(start, start + 300).split("\n", 1)[0]!;
    const inQuotes = quotedIn(clause(part, true));
    if (inQuotes.length > 0) return inQuotes;
    const bare = bareValue(clause(part, false));
    return bare === undefined ? [] : [bare];
  });
}

const quotedIn = (text: string): string[] =>
  [...text.matchAll(quoted)].map(([, tick, double, single]) => tick ?? double ?? single!);

/** Text up to the end of a sentence; what stands in quotes may hold one. */
function clause(text: string, quotes: boolean): string {
  let open = "";
  let depth = 0;
  for (let at = 0; at < text.length; at++) {
    const sign = text[at]!;
    if (open !== "") open = sign === open ? "" : open;
    else if (quotes && /[`"]/.test(sign) && text.includes(sign, at + 1)) open = sign;
    else if (sign === "(") depth++;
    else if (sign === ")" && --depth < 0) return text.slice(0, at);
    else if (/[.;]/.test(sign) && /^(?:\s|$)/.test(text.slice(at + 1, at + 2))) return text.slice(0, at);
  }
  return text;
}

/** The first of a list of words without quotes; a phrase is prose. */
function bareValue(text: string): string | undefined {
  const first = text.split(/,\s|\s\|\s|\|(?=\S)|\s(?:or|and|for|to|in|if|when)\s/, 1)[0]!
    .trim().replace(/(?<=.)[\]:,;]+$/, "");
  const isProse = /^(?:the|a|an|this|that|any|all|you|it|is|of|to|in)$/i.test(first) || first === "";
  return isProse || isCutOff(first) || first.length > 60 || /\s/.test(first) && !/[\d*<>{}=]/.test(first)
    ? undefined
    : first;
}

/** Whether a bracket is opened and not closed. */
const isCutOff = (text: string): boolean => text.split(/[([{]/).length !== text.split(/[)\]}]/).length;

/** Finds choices that stand without a mark: `'a' | 'b'`, `a | b | c`, `a/b/c:`. */
function bareChoices(text: string): string[] {
  const choice = /(?:^|[\s:(])["'`]?([\w.+-]{1,40})["'`]?\s?\|\s?["'`]?[\w.+-]{1,40}["'`]?(?:[\s|).,;]|$)/
    .exec(text);
  return choice === null ? [] : [choice[1]!];
}

/** Whether a value stays in the working folder and on the machine, names no real person, and is small. */
function isSafe(value: string): boolean {
  if (
    value.trim() === "" ||
    /\.\.(?:[\\/]|$)|(?:^|[\s"'=(:])(?:~(?:[\\/]|$)|[\\/](?:\w|$))|\b[A-Za-z]:[\\/]/.test(value)
  ) {
    return false;
  }
  if (/\b(?:rm|mkfs|dd|shutdown|reboot|kill|curl|wget|drop|delete|truncate)\s/i.test(value)) return false;
  if (/\d{5,}/.test(value) && /^[+\d\s().e-]+$/i.test(value)) return false;
  const hosts =
    value.match(/[\w-]+(?:\.[\w-]+)*\.(?:com|org|net|io|dev|ai|app|co|gov|edu|cloud|de|uk|me|sh)\b/gi) ?? [];
  if (/:\/\//.test(value) && !/:\/\/(?:[\w-]+\.)*example\.(?:com|org|net)\b/i.test(value)) return false;
  return hosts.every((host) => /(?:^|\.)example\.(?:com|org|net)$/i.test(host)) &&
    !/\b(?:\d{1,3}\.){3}\d{1,3}\b/.test(
      value.replace(/\b(?:192\.0\.2|198\.51\.100|203\.0\.113|127\.0\.0)\.\d+\b/g, ""),
    );
}
