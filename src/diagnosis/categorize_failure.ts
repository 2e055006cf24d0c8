import { firstLine } from "../core/text.ts";
import { findMissing, type Symptoms, symptomsText } from "./symptoms.ts";
import type { FailureCategory } from "../../machines/model/verdict.ts";

interface CategorizedFailure {
  category: FailureCategory;
  /** One sentence each, what decided first. */
  evidence: string[];
  /** Cause in few words that distinguish it from others; it becomes the title of a commit. */
  cause: string;
}

/** Sentence that explains why a rule applies. */
interface Reason {
  sentence: string;
  cause: string;
}

interface Rule {
  category: FailureCategory;
  /** The verdicts that it may overrule; absent: any. */
  over?: readonly FailureCategory[];
  says(symptoms: Symptoms): Reason | undefined;
}

const softer: readonly FailureCategory[] = ["wrong-output", "schema-violation"];
const notSilent: readonly FailureCategory[] = [
  "runtime-exception",
  "wrong-output",
  "build-failure",
  "dependency-error",
  "schema-violation",
  "protocol-error",
];

/** The most specific first; the first that holds decides, the others that hold are further evidence. */
const rules: Rule[] = [
  { category: "build-failure", over: notSilent, says: unresolvedOwnImport },
  { category: "dependency-error", over: notSilent, says: missingDependency },
  { category: "build-failure", over: notSilent, says: syntaxError },
  { category: "unexpected-side-effect", over: ["missing-side-effect"], says: presentThoughUnwanted },
  { category: "protocol-error", over: softer, says: refusedResult },
  { category: "protocol-error", over: ["timeout"], says: spoiltAnswer },
  { category: "schema-violation", over: softer, says: refusedByValidation },
  { category: "runtime-exception", over: ["wrong-output"], says: leakedException },
];

export function categorizeFailure(symptoms: Symptoms): CategorizedFailure {
  const holding = rules.flatMap(({ category, over, says }) => {
    if (over && !over.includes(symptoms.verdict)) return [];
    const reason = says(symptoms);
    return reason === undefined ? [] : [{ category, ...reason }];
  });
  const [first] = holding;
  return {
    category: first?.category ?? symptoms.verdict,
    evidence: [...holding.map(({ sentence }) => sentence), symptoms.verdictSays],
    cause: withoutDot(first?.cause ?? verdictCause(symptoms)),
  };
}

/** Reason that quotes the output. */
const quoting = (what: string, words: string): Reason => ({ sentence: `${what}: ${words}.`, cause: words });

const withoutDot = (text: string): string => firstLine(text, 200).replace(/[.\s]+$/, "");

/** Cause if no rule applies: the exception that ended the server, or the expected and the actual value. */
function verdictCause({ verdict, verdictSays, output, expected, actual }: Symptoms): string {
  const thrown = verdict === "runtime-exception" ? exceptionIn(output) : undefined;
  if (thrown !== undefined) return `${withoutDot(verdictSays)}: ${thrown}`;
  if (verdict !== "wrong-output" || expected === undefined || actual === undefined) return verdictSays;
  const short = (value: unknown) => firstLine(JSON.stringify(value), 60);
  return `${verdictSays.split(": ")[0]} answers ${short(actual)} where ${short(expected)} is expected`;
}

/** A module that the plugin itself should hold. */
function unresolvedOwnImport(symptoms: Symptoms): Reason | undefined {
  const missing = findMissing(symptomsText(symptoms));
  if (missing?.kind !== "module" || !isOwn(missing.name, symptoms)) return undefined;
  return quoting("An import within the plugin does not resolve", missing.words);
}

const isOwn = (name: string, { isOwnModule }: Symptoms): boolean =>
  name.startsWith(".") || name.startsWith("/") && !name.includes("/node_modules/") || isOwnModule(name);

function missingDependency(symptoms: Symptoms): Reason | undefined {
  const text = symptomsText(symptoms);
  const missing = findMissing(text);
  if (missing === undefined) {
    return symptoms.verdict === "dependency-error" && symptoms.loading
      ? quoting("Something that the plugin needs is missing", firstLine(symptoms.message, 300))
      : undefined;
  }
  const { kind, name, words } = missing;
  if (kind === "module") {
    // Compilers speak of imports as of any other mistake: that is the build's.
    if (isOwn(name, symptoms) || symptoms.verdict === "build-failure") return undefined;
  }
  const subject = {
    module: "Module",
    command: "Program",
    library: "Library",
    service: "Service",
    package: "Package",
  }[kind];
  const state = kind === "service" ? "is not reachable" : "is missing";
  const fact = `${subject} ${name || "that it needs"} ${state} in the environment`;
  return { sentence: `${fact}: ${words}.`, cause: fact };
}

function syntaxError(symptoms: Symptoms): Reason | undefined {
  const text = symptomsText(symptoms);
  const words = /(?:^|\n)(?:Uncaught )?((?:Syntax|Indentation|Tab)Error: [^\n]*)/.exec(text)?.[1];
  // `JSON.parse` and `eval` throw SyntaxErrors too; those are about data, and have frames of their own below.
  if (words === undefined || /JSON|<anonymous>|<string>/.test(`${words}${frameBelow(text, words)}`)) {
    return undefined;
  }
  return quoting("The source does not parse", words);
}

const frameBelow = (text: string, words: string): string =>
  text.slice(text.indexOf(words) + words.length).split("\n", 2)[1] ?? "";

/** A `verify` command that looked for an absence, and found something. */
function presentThoughUnwanted({ commands }: Symptoms): Reason | undefined {
  const found = commands.find(({ exec, expect, code, stdout }) => {
    const wanted = expect["expect_exit_code"] ?? 0;
    if (wanted !== 0) return code === 0;
    if (code === 0) return expect["expect_stdout"] === "" && stdout !== "";
    return /(?:^|[;&|]\s*|\s)(?:!|test\s+!|\[\s+!)\s|\b(?:cmp|diff(?:\s+-\w+)*|sha\d+sum -c|md5sum -c|git diff --(?:quiet|exit-code))\b/
      .test(exec);
  });
  if (found === undefined) return undefined;
  const seen = found.stdout.trim() === ""
    ? `it ended with ${found.code}`
    : `it saw ${JSON.stringify(found.stdout.trim().slice(0, 200))}`;
  return {
    sentence: `A command that looks for the absence of a change found one: "${
      firstLine(found.exec, 300)
    }", ${seen}.`,
    cause: `a change that must not be there: "${firstLine(found.exec, 80)}" ${seen.replace(/^it /, "")}`,
  };
}

/** The SDKs' own words for a result that is none. */
function refusedResult({ answer }: Symptoms): Reason | undefined {
  const words = /Invalid \w+\/\w+ result\b/.exec(answer?.isError ? answer.text : "")?.[0];
  if (words === undefined) return undefined;
  const path = invalidPath(answer!.text);
  const where = path === "" ? "" : ` at ${path}`;
  return {
    sentence: `The server's own library refuses the tool's result${where}: ${words}.`,
    cause: `${words}${where}`,
  };
}

/** The longest path that zod's issues speak of: `content.0.text`. */
const invalidPath = (text: string): string =>
  [...text.matchAll(/"path": \[([^\]]*)\]/g)]
    .map(([, path]) => path!.replaceAll(/[\s"]/g, "").split(",").join("."))
    .sort((a, b) => b.split(".").length - a.split(".").length)[0] ?? "";

/** Words that end in a list of issues, with the path of the first instead. */
function withPath(words: string, text: string): string {
  const path = invalidPath(text);
  return path === "" ? words : `${words.replace(/[\s:[{]+$/, "")} at ${path}`;
}

/** An answer that came, but on a line that something else had begun. */
function spoiltAnswer({ strayOutput }: Symptoms): Reason | undefined {
  const line = strayOutput.find((each) => /.\{"jsonrpc":|"jsonrpc": ?"2\.0"/.test(each));
  if (line === undefined) return undefined;
  return quoting(
    "A message was spoilt",
    `other output on its line of stdout: ${JSON.stringify(firstLine(line, 120))}`,
  );
}

/** The SDKs' own words for an input or output that breaks the schema. */
function refusedByValidation(symptoms: Symptoms): Reason | undefined {
  const { answer } = symptoms;
  const words =
    /(?:Output|Input) validation error[^\n]*|Structured content does not match[^\n]*|(?:has|have) an output schema but no structured content[^\n]*|\d+ validation errors? for \w+[^\n]*/
      .exec(answer?.isError ? answer.text : "")?.[0];
  return words === undefined
    ? undefined
    : quoting("The server's own validation speaks of a breach of the schema", withPath(words, answer!.text));
}

const exception =
  /^(?:(?:Uncaught )?(?:[A-Z]\w*(?:Error|Exception|Exit)|KeyError|panic)(?: \[\w+\])?: |Traceback \(most recent|Error executing tool )/m;
/** Messages of runtimes about mistakes in code, without the name of the exception. */
const mistake =
  /^(?:[\w$.]+ is not (?:defined|a function|iterable|a constructor)|Cannot (?:read|set) properties of (?:undefined|null)|name '\w+' is not defined|'\w+' object (?:has no attribute|is not)|unsupported operand type)/;
const trace = /Traceback \(most recent call last\)|^\s+at .+:\d+:\d+\)?$|panicked at |^goroutine \d+ \[/m;

function leakedException({ answer, output }: Symptoms): Reason | undefined {
  if (!answer?.isError) return undefined;
  const words = exception.exec(answer.text);
  if (words) {
    return quoting(
      "The answer is the text of an exception",
      exceptionIn(answer.text.slice(words.index)) ?? firstLine(answer.text.slice(words.index), 300),
    );
  }
  if (mistake.test(answer.text)) {
    return quoting("The answer tells a mistake in the code", firstLine(answer.text, 300));
  }
  if (trace.test(output)) {
    const sentence = "A stack trace appeared on stderr while the tool was called.";
    return { sentence, cause: exceptionIn(output) ?? sentence };
  }
  return answer.code === -32603
    ? quoting('The server answered "internal error"', firstLine(answer.text, 300))
    : undefined;
}

/** The line of a trace that names the exception; of chained ones the last. */
export const exceptionIn = (text: string): string | undefined =>
  [...text.matchAll(/^(?:Uncaught )?([A-Z]?[\w.]*(?:Error|Exception|Exit)(?: \[\w+\])?: .*)$/gm)].at(-1)?.[1];
