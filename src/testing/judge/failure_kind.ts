/**
 * Errors that a server's code did not foresee: stack traces, panics, "x is not a function".
 *
 * A false alarm costs more than a miss. So an error counts only when the tool failed with it, or when the whole answer
 * is evidently the text of an exception; and never when it is about what the input brought (`explained_by_input.ts`). An
 * error that quotes a message of the system after words of the tool's own was foreseen, whatever trace follows.
 */
import type { CallOutcome } from "../../../machines/model/plugin.ts";
import { asksFor, explainedByInput, mentions, textsOf } from "./explained_by_input.ts";
import type { FailureCategory } from "../../../machines/model/verdict.ts";

interface Sign {
  pattern: RegExp;
  category: FailureCategory;
}

/** Messages of runtimes about missing modules; the first group is the module's name. */
const missingModules: Sign[] = [
  /Cannot find (?:module|package) ['"]([^'"]+)['"]/,
  /Module not found ["']?([^"'\s]+)/,
  /No module named ['"]?([\w.]+)/,
  /cannot open shared object file.*?([\w.-]+\.so[\w.]*)?/,
].map((pattern) => ({ pattern, category: "dependency-error" }));

/** Messages of runtimes about mistakes in code; the first group is the name that the mistake is about. */
const codeMistakes: Sign[] = [
  /([\w$.[\]()]+) is not (?:a function|a constructor|iterable)\b/,
  /Cannot (?:read|set) propert(?:y|ies) (?:'[^']*' )?of (?:undefined|null)()(?: \((?:reading|setting) '([^']*)'\))?/,
  /Cannot access '([^']+)' before initialization/,
  /ReferenceError: ([\w$]+) is not defined/,
  /Maximum call stack size exceeded()/,
  /NameError: name '([^']+)' is not defined/,
  /UnboundLocalError: .*?'([^']+)'/,
  /'NoneType' object (?:has no attribute|is not)()/,
  /\w+\(\) (?:missing \d+ required positional|got an unexpected keyword) argument()/,
  /Traceback \(most recent call last\)()/,
  /(?:^|\n)panic: ()/,
  /\bgoroutine \d+ \[running\]()/,
  /thread '[^']*' (?:\(\d+\) )?panicked at()/,
  /called `(?:Option|Result)::unwrap\(\)` on ()/,
  /nil pointer dereference()/,
  /Exception in thread "()/,
  /java\.lang\.\w+(?:Exception|Error)()/,
  /Object reference not set to an instance()/,
  /undefined method [`']([^'`]+)['`] for/,
  /segmentation fault()/i,
].map((pattern) => ({ pattern, category: "runtime-exception" }));

/** A line of a stack trace: JavaScript, Java, Python, Ruby. */
const frame =
  /^\s+at .+:\d+(?::\d+)?\)?$|^\s+at [\w$.<>]+\([\w$]+\.(?:java|kt|scala):\d+\)$|^\s+File ".+", line \d+|^\s+from .+:\d+:in /;

/** Kind of failure of an unforeseen error; undefined if the answer is none. */
export function failureKind(
  outcome: CallOutcome,
  input: Record<string, unknown>,
): FailureCategory | undefined {
  const given = textsOf(input);
  if (!outcome.isError && !isExceptionText(outcome.text)) return undefined;
  const said = legible(outcome.text);
  if (explainedByInput(said, given)) return undefined;
  // A text that looks like an error, and that the tool repeats, is the caller's.
  const echoes = given.filter((each) => each !== "" && showsInternalError(each));
  const text = echoes.reduce((left, each) => left.replaceAll(each, ""), said);
  const foreseen = quotesSystem(text);
  for (const { pattern, category } of [...missingModules, ...codeMistakes]) {
    const match = pattern.exec(text);
    if (match !== null && !(foreseen && isOfTraces(pattern))) {
      return isAboutInput(match, given) ? undefined : category;
    }
  }
  return hasFrames(text) && !foreseen ? "runtime-exception" : undefined;
}

/** Messages of systems and networks, as error codes and libraries spell them. */
const systemMessage =
  /\bE[A-Z]{4,}\b|\[Errno -?\d+\]|\bgetaddrinfo\b|\bfetch failed\b|\bnet::ERR_|\bos error \d+|cannot open shared object file|[Nn]o such file or directory|[Cc]onnection refused|Name or service not known|Max retries exceeded|\bdial tcp\b/;

/** Words that runtimes and frameworks put before an exception of which the tool knows nothing. */
const wrapper =
  /^(?:(?:Uncaught |Unhandled )?[\w.]*(?:Error|Exception)(?: \[\w+\])?: |Error (?:executing|calling|running|in) tool [^\s:]+: |MCP error -?\d+: |Internal (?:server )?error: )+/i;

/** Whether words of the tool's own stand before a message of the system: "Error reading file: ENOENT: …". */
function quotesSystem(text: string): boolean {
  const words = text.trimStart().replace(wrapper, "");
  const at = systemMessage.exec(words)?.index ?? 0;
  return /^(?!Traceback |\s*at |panic: |thread ')\W*[A-Za-z]{2,} [^\n]*[A-Za-z]{2,}/.test(words.slice(0, at));
}

/** Signs of a trace alone, which tell nothing of the mistake. */
const isOfTraces = ({ source }: RegExp): boolean => /Traceback|shared object/.test(source);

/** A name that the input brought, or a property that code in it asks for. */
const isAboutInput = ([, name = "", property = ""]: RegExpExecArray, given: readonly string[]): boolean =>
  mentions(given, name) || asksFor(given, property);

/** True if a server's last words before it ended show a mistake in its code. */
export function showsInternalError(words: string): boolean {
  const text = legible(words);
  return hasFrames(text) || [...missingModules, ...codeMistakes].some(({ pattern }) => pattern.test(text));
}

/** Two frames in a row are a trace; one indented "at …:3" may be prose. */
function hasFrames(text: string): boolean {
  const lines = text.split("\n");
  return lines.some((line, index) => frame.test(line) && frame.test(lines[index + 1] ?? ""));
}

/** Starts of a line that hold an exception and nothing else: `Error: `, `TypeError [CODE]: `, `Error executing tool x: `. */
const exceptionStart =
  /^(?:(?:Uncaught |Unhandled )?(?:[\w.]*(?:Error|Exception)\b[^:\n]{0,60}: ){1,3}|Traceback |panic: |thread ')/;

/** True when a successful answer is nothing but an exception: such a first line, and after it little else than frames. */
function isExceptionText(text: string): boolean {
  if (text.length > 8000) return false;
  const [first = "", ...rest] = legible(text).trim().split("\n");
  if (first.length > 300) return false;
  const bare = /^[\w$.]+ is not a function$/.test(first);
  if (!bare && !exceptionStart.test(first)) return false;
  const filled = rest.filter((line) => line.trim() !== "");
  return filled.filter((line) => frame.test(line) || /^\s/.test(line) || exceptionStart.test(line)).length *
      2 >=
    filled.length;
}

/** In characters: of one line, and of the beginning and the end of a text each. */
const longestLine = 1_000;
const longestPart = 20_000;

/** The text itself where it is of a usual size. */
export function legible(text: string): string {
  const part = text.length <= 2 * longestPart
    ? text
    : `${text.slice(0, longestPart)}\n…\n${text.slice(-longestPart)}`;
  return part.split("\n").map((line) => line.length <= longestLine ? line : `${line.slice(0, longestLine)}…`)
    .join("\n");
}
