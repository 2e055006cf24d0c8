import type { HangInspection } from "../../machines/model/stuck.ts";
import { legible } from "../testing/judge/failure_kind.ts";
import type { CommandEvidence } from "../testing/evidence/failure_evidence.ts";
import type { FailureCategory } from "../../machines/model/verdict.ts";

export interface Symptoms {
  /** Category of the verdict, or of the error that loading ended in. */
  verdict: FailureCategory;
  /** Reason for the category, in a sentence. */
  verdictSays: string;
  /** Message of the verdict or of the error. */
  message: string;
  /** Expected value of the failed assertion, if there was one. */
  expected?: unknown;
  actual?: unknown;
  /** The answer of the call, where there was one. */
  answer?: FailedAnswer;
  /** stderr, or the output of an install or a build. */
  output: string;
  strayOutput: string[];
  /** Inspection of a server that gave no answer. */
  hang?: HangInspection;
  commands: CommandEvidence[];
  /** Whether loading failed, and not a test. */
  loading: boolean;
  /** Whether one of the plugin's own tests failed, which calls no tool. */
  isOwnTest?: boolean;
  /** Whether a module of this name is the plugin's own. */
  isOwnModule(name: string): boolean;
}

interface FailedAnswer {
  text: string;
  isError: boolean;
  /** Code of a JSON-RPC error. */
  code?: number;
}

/** All messages of a failure, the most specific first: of the output, the part that repeats the answer's error. */
export const symptomsText = (
  { answer, output, message }: Pick<Symptoms, "answer" | "output" | "message">,
): string =>
  [answer?.text, message, answer?.isError && reportOf(answer.text, output), output].filter(Boolean).join(
    "\n",
  );

/** Shorter words may stand anywhere. */
const fewestSigns = 8;

/**
 * The output from where it reports an error on. stderr comes on a pipe of its own: on a busy machine the end of an earlier
 * call's report may stand before it.
 */
function reportOf(error: string, output: string): string | undefined {
  const words = error.trimStart().split("\n", 1)[0]!.replace(/^(?:[\w.]*(?:Error|Exception): )+/, "").trim();
  const at = words.length < fewestSigns ? -1 : output.lastIndexOf(words);
  if (at < 0) return undefined;
  const before = output.slice(0, output.lastIndexOf("\n", at) + 1);
  // Python prints frames before the error, Rust the location.
  const head =
    /(?:^|\n)((?:Traceback \(most recent call last\):\n(?:[ \t][^\n]*\n)*|thread [^\n]* panicked at [^\n]*\n))$/
      .exec(before);
  return (head?.[1] ?? "") + output.slice(before.length);
}

/** The answer to the last call of an exchange. */
export function answerIn(exchange: readonly unknown[]): FailedAnswer | undefined {
  const last = exchange.findLast((each) => {
    const { direction, message } = each as { direction?: string; message?: object };
    return direction === "received" && message !== undefined && ("result" in message || "error" in message);
  }) as { message: { result?: unknown; error?: unknown } } | undefined;
  if (last === undefined) return undefined;
  const { result, error } = last.message;
  if (error !== undefined && error !== null) {
    const { code, message } = error as { code?: unknown; message?: unknown };
    return { text: legible(String(message)), isError: true, ...(typeof code === "number" ? { code } : {}) };
  }
  const { content, isError } = (result ?? {}) as { content?: unknown; isError?: unknown };
  const parts: { text?: unknown }[] = Array.isArray(content) ? content : [];
  const text = parts.flatMap((part) => typeof part?.text === "string" ? part.text : []).join("\n");
  return { text: legible(text), isError: isError === true };
}

/** Dependency that a program did not find, according to its output. */

interface MissingDependency {
  kind: "module" | "command" | "library" | "service" | "package";
  /** Name of it: a module, a program, `host:port`. */
  name: string;
  /** Quoted output. */
  words: string;
}

const signs: { kind: MissingDependency["kind"]; pattern: RegExp }[] = [
  { kind: "module", pattern: /Cannot find (?:module|package) ['"]([^'"]+)['"]/ },
  { kind: "module", pattern: /No module named ['"]?([\w.]+)['"]?/ },
  { kind: "module", pattern: /Module not found:? (?:Error: )?(?:Can't resolve )?["']([^"']+)["']/ },
  { kind: "module", pattern: /(?:Could not resolve|Failed to resolve import) "([^"]+)"/ },
  { kind: "module", pattern: /no required module provides package ([\w./-]+)/ },
  { kind: "module", pattern: /unresolved import `([\w:]+)`/ },
  { kind: "command", pattern: /spawn(?:Sync)? (\S+) ENOENT/ },
  { kind: "command", pattern: /(?:^|\n)\S*(?:sh|bash|dash)\b[^\n]*: ([\w.+-]+): (?:command )?not found/ },
  { kind: "command", pattern: /(?:^|\n)make[^\n]*: ([\w.+-]+): No such file or directory/ },
  { kind: "command", pattern: /FileNotFoundError: \[Errno 2\] No such file or directory: '([\w.+-]+)'/ },
  { kind: "library", pattern: /([\w.+-]+\.so[\w.]*): cannot open shared object file/ },
  { kind: "library", pattern: /fatal error: ([\w./+-]+\.h(?:pp)?): No such file or directory/ },
  {
    kind: "library",
    pattern:
      /(?:Package|package) '?([\w.+-]+)'?,? (?:required by [^\n]*, )?(?:was )?not found in the pkg-config/,
  },
  { kind: "service", pattern: /connect ECONNREFUSED ([\w.:[\]-]+)/ },
  { kind: "service", pattern: /(?:getaddrinfo|queryA?) (?:ENOTFOUND|EAI_AGAIN) ([\w.-]+)/ },
  { kind: "service", pattern: /[Cc]onnection (?:to [^\n]*?)?refused[^\n]*?([\w.-]+:\d+)?/ },
  {
    kind: "service",
    pattern:
      /(?:Name or service not known|Temporary failure in name resolution|could not connect to server)()/,
  },
  { kind: "package", pattern: /No matching distribution found for ([\w.[\]=<>~-]+)/ },
  { kind: "package", pattern: /npm (?:error|ERR!) 404\s+'?([@\w./-]+)@?[^\n]* is not in/ },
  {
    kind: "package",
    pattern: /npm (?:error|ERR!) (?:notarget|code (?:E404|ETARGET))[^\n]*?(?:for ([@\w./-]+))?/,
  },
];

/** The first such sign in a text, or undefined. */
export function findMissing(text: string): MissingDependency | undefined {
  for (const { kind, pattern } of signs) {
    const match = pattern.exec(text);
    if (match) return { kind, name: match[1] ?? "", words: match[0].trim() };
  }
  return undefined;
}
