/**
 * Whether an error that a tool passes on is about what the call's input says: code that the tool ran for its caller, a query that
 * it put to a database, a text that it parsed. Never by the name of a parameter: what counts is what was sent.
 */

/** All texts of an input, at any depth; the names of its parameters are not the caller's words. */
export function textsOf(input: unknown): string[] {
  if (typeof input === "string") return [input];
  if (typeof input !== "object" || input === null) return [];
  return Object.values(input).flatMap(textsOf);
}

/** Whether one of the texts holds this, as a word or words of its own. */
export function mentions(given: readonly string[], words: string): boolean {
  if (words === "") return false;
  return given.some((text) => {
    for (let at = text.indexOf(words); at >= 0; at = text.indexOf(words, at + 1)) {
      const [before = "", after = ""] = [text[at - 1], text[at + words.length]];
      const apart = (one: string, other: string) => !/[\w$]/.test(one) || !/[\w$]/.test(other);
      if (apart(before, words[0]!) && apart(words.at(-1)!, after)) return true;
    }
    return false;
  });
}

/** Whether one of the texts is code that asks a value for this property: `.name`, `["name"]`, `x[0]`. */
export const asksFor = (given: readonly string[], property: string): boolean =>
  property !== "" &&
  given.some((text) =>
    [`.${property}`, `["${property}"]`, `['${property}']`].some((form) => text.includes(form)) ||
    (/^\d+$/.test(property) && new RegExp(`[\\w)\\]]\\[${property}\\]`).test(text))
  );

/** Limits in characters of an answer and of its lines, of which only the beginning is looked at. */
const [longestText, longestLine] = [64_000, 1000];

/** Whether the whole error is about code or text that the input brought. */
export function explainedByInput(answer: string, given: readonly string[]): boolean {
  const lines = answer.slice(0, longestText).split("\n").map((line) => line.slice(0, longestLine));
  const text = lines.join("\n");
  return given.length > 0 &&
    (ranAsCode(text) || showsLineOf(lines, given) || complainsOf(lines, text, given) ||
      startedProgram(lines, text, given));
}

/**
 * A frame in code without a file: JavaScript's `eval`, `new Function` and `vm`; Python's `exec`, but not methods that its own
 * library makes so (`in __init__`).
 */
const ranAsCode = (text: string): boolean =>
  /\beval at (?!compileSchema|localCompile)|<(?:anonymous|isolated-vm|eval|input|stdin)[^>\s]*>:\d+|\[eval\d*\]:\d+|\(eval(?: at [^)]*)?\):\d+/
    .test(text) ||
  /^\s*File "<(?!frozen)[^">]+>", line \d+(?:, in <module>)?$/m.test(text);

/** Interpreters show the line at fault below its place: `/tmp/x.py", line 1` or `/tmp/x.js:1`, then the line. */
function showsLineOf(lines: readonly string[], given: readonly string[]): boolean {
  const own = new Set(given.flatMap((each) => each.split("\n")).map((line) => line.trim()));
  return lines.some((line, index) =>
    line.trim().length > 1 && !/^\d+$/.test(line.trim()) && own.has(line.trim()) &&
    /(?:, line \d+(?:, in \S+)?|:\d+(?::\d+)?\)?)$/.test(lines[index - 1] ?? "")
  );
}

/** Messages of parsers, databases and template engines about a text that is wrong in their language. */
const complaint =
  /syntax ?error|error in your sql|parse ?error|invalid syntax|unexpected (?:token|identifier|end|character|string|number|eof|input)|unrecognized token|incomplete input|no such (?:table|column|function)|unknown (?:column|table|function)|(?:relation|column|function|table) .{1,80} does not exist|is (?:not defined|undefined)|invalid regular expression|(?:re\.|Pattern|regex\w*)error|unterminated|template\w*error|yaml\w*(?:error|exception)|jsondecodeerror|is not valid json|expecting value/i;

/** Messages about the end or the beginning of a text, of which parsers have nothing to show. */
const ofItsEnds = /unexpected (?:end|eof)|incomplete input|end of input|at end of/i;

const complainsOf = (lines: readonly string[], text: string, given: readonly string[]): boolean =>
  lines.some((line) =>
    complaint.test(line) && !/^\s+(?:at |File ")/.test(line) &&
    (quotes(line, given) || breaks(line, text, given))
  );

/** True if the line quotes something of the input, or ends with it: `near "x": syntax error`, `no such table: x`. */
function quotes(line: string, given: readonly string[]): boolean {
  const quoted = [...line.matchAll(/(["'`])(.{1,200}?)\1/g)].map(([, , inner]) => inner!);
  const last = line.match(/: ?([^\s:]+)$/)?.[1];
  return [...quoted, ...(last === undefined ? [] : [last])].some((words) =>
    mentions(given, words) || (words.length >= 4 && given.some((each) => each.includes(words)))
  );
}

/** The input has what such a parser cannot read: the same text fails here as well. */
function breaks(line: string, text: string, given: readonly string[]): boolean {
  if (/json|expecting value/i.test(line)) {
    // A newer engine shows the text.
    if (/is not valid json/i.test(line) || answersOfOthers.test(text)) return false;
    const [, token, position] = line.match(/token (.) in JSON at position (\d+)/i) ?? [];
    if (token !== undefined) return given.some((each) => !isJson(each) && each[Number(position)] === token);
    const cutOff = /unexpected end/i.test(line);
    return given.some((each) => !isJson(each) && (!cutOff || /^\s*$|^\s*[[{"]/.test(each)));
  }
  if (/regular expression|re\.error|patternerror|regex/i.test(line)) {
    return given.some((each) => !isPattern(each));
  }
  if (ofItsEnds.test(line)) return given.some((each) => !/^\w+$/.test(each) || /sql|query/i.test(text));
  return /^(?:\w*: )*SyntaxError: (?:Invalid or unexpected|missing|Unterminated|Malformed|Illegal)/.test(
    line,
  ) &&
    given.some((each) => !/^\w+$/.test(each));
}

/** Frames of libraries that ask other machines: what they cannot read is not the input. */
const answersOfOthers =
  /\b(?:requests|httpx|urllib3?|aiohttp|undici|node-fetch|axios|got)\b|\bfetch\b|\.json\(\)/;

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false; // the question is whether it fails
  }
}

function isPattern(text: string): boolean {
  try {
    new RegExp(text);
    return true;
  } catch {
    return false; // the question is whether it fails
  }
}

/** A program was started that the input names, and could not be, or failed. */
const startedProgram = (lines: readonly string[], text: string, given: readonly string[]): boolean =>
  /child_process|ChildProcess|subprocess\.py|_execute_child|os\/exec/.test(text) &&
  lines.some((line) => {
    const [, words = ""] =
      line.match(/(?:Command failed: |spawn |No such file or directory: |Command |exec: )(.+)$/) ?? [];
    const program = words.replace(
      / E[A-Z]+$| returned non-zero .*$| timed out .*$|: executable file .*$/,
      "",
    );
    return mentions(given, program.replace(/^\[?['"]/, "").replace(/['"][,\]].*$|['"]$/, ""));
  });
