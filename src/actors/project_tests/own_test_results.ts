/**
 * Converts a run of a plugin's own tests to tests and verdicts of a session. What the run cannot show is a failure: a
 * run that did not come about, one without tests, and one whose figures do not fit its tests.
 */
import type { FrameworkFound, ProjectTest, ProjectTestStatus } from "../../../machines/model/project_test.ts";
import type { ProjectTestAnswer, StuckTestAnswer } from "../../../machines/model/project_test_run.ts";
import type { OwnTest, TestCase } from "../../../machines/model/test_case.ts";
import type { FailureCategory, Verdict } from "../../../machines/model/verdict.ts";
import { asPthError } from "../../core/errors.ts";
import { count, truncate } from "../../core/text.ts";
import { definedOnly } from "../../core/values.ts";
import { readTextFile } from "../../platform/files.ts";
import type { RunDetails } from "../../project_tests/answer_of_run.ts";
import { anyCommand } from "../../project_tests/choose_framework.ts";
import { slug } from "../../testing/format/ids.ts";

/** Tests beyond these are counted in one result; failures are taken first. */
const mostTests = 10_000;
/** Failures that are kept in full; of the others the beginning of the message is kept. */
const mostInFull = 200;
const shortMessage = 500;
/** Letters of an id. */
const longestId = 120;

/** An own test as it ended. */
export interface OwnTestResult {
  test: TestCase;
  verdict: Verdict;
  durationMs: number;
  /** Frames of a failure and what its test printed; "" for others. */
  output: string;
}

/** Parts of the details file that results are made of. */
export type OwnRunDetails = Pick<RunDetails, "tests" | "problems" | "found">;

/** A run of own tests as a session takes it. */
export interface OwnTestRun {
  results: OwnTestResult[];
  /** Tests that were found and did not run, and the details file of a failure. */
  notes: string[];
}

/** Makes the results of a run with all that its details file knows. */
export async function resultsOfAnswer(answer: ProjectTestAnswer): Promise<OwnTestRun> {
  const { details: path } = answer;
  const details: OwnRunDetails | undefined = path === undefined
    ? undefined
    : JSON.parse(await readTextFile(path));
  const results = ownTestResults(answer, details);
  const failed = results.some(({ verdict }) => verdict.status === "failed");
  return {
    results,
    notes: [
      ...otherTests(details?.found ?? []),
      ...(failed && path !== undefined ? [`All that is known of the own tests: ${path}`] : []),
    ],
  };
}

/** The chosen framework is the first of those found. */
function otherTests([, ...found]: readonly FrameworkFound[]): string[] {
  const others = found.filter(({ framework }) => framework !== anyCommand)
    .map(({ framework, reason }) => `${framework} (${reason})`);
  return others.length === 0
    ? []
    : [`Own tests that did not run: those of ${others.join(", ")}. They run where their framework is named.`];
}

/** Ids are for `withOwnIds` to give. @param details Absent where no command ran */
export function ownTestResults(
  answer: ProjectTestAnswer,
  details: OwnRunDetails | undefined,
): OwnTestResult[] {
  const { framework, summary, stuck = [], hint = "" } = answer;
  const { tests, problems } = details ?? { tests: [], problems: [] };
  const results = [
    ...problems.map(({ message, place, isBeforeTests }) =>
      wholeRun(framework, isBeforeTests ? "before the tests" : "the run", message, "build-failure", place)
    ),
    ...ordered(tests).slice(0, mostTests).map((test) => resultOf(framework, test, stuck)),
    ...stuck.filter(({ name }) => !tests.some((test) => test.status === "stuck" && test.name === name))
      .map((each) => wholeRun(framework, "the run", stuckText(each), "timeout", stuckPlace(each))),
  ];
  if (summary === null) {
    // Nothing points to the framework that takes any command.
    const found = framework === anyCommand ? undefined : framework;
    results.push(wholeRun(found, "the run", `There are no own tests to run. ${hint}`, "build-failure"));
  } else results.push(...uncounted(framework, summary, results));
  return bounded(results);
}

/** Room that results of very many failures take: messages may be 16 KiB long, outputs 128 KiB. */
function bounded(results: readonly OwnTestResult[]): OwnTestResult[] {
  let failures = 0;
  return results.map((result) => {
    const { verdict: { status, message = "", ...verdict } } = result;
    if (status !== "failed") return { ...result, output: "" };
    if (++failures <= mostInFull) return result;
    return {
      ...result,
      verdict: { ...verdict, status, message: truncate(message, shortMessage) },
      output: "",
    };
  });
}

/** Codes of errors that say something of the plugin, or of the programs that it needs. */
const ofPlugin: Record<string, FailureCategory> = {
  BUILD_FAILED: "build-failure",
  EXEC_FAILED: "build-failure",
  INSTALL_FAILED: "build-failure",
  TOOLCHAIN_MISSING: "dependency-error",
};

/** The result of a run that failed before it had an answer. @throws the error, where it says nothing of the plugin */
export function ownTestsNotRun(error: unknown, framework: string | undefined): OwnTestResult[] {
  const { code, message, context: { output = "", next = [] } } = asPthError(error);
  const category = isTimeout(error) ? "timeout" : ofPlugin[code];
  if (category === undefined) throw error;
  const text = [message, ...next.filter((step) => typeof step === "string")].join("\n");
  return [{ ...wholeRun(framework, "the run", text, category), output }];
}

const isTimeout = (error: unknown): boolean => error instanceof Error && error.name === "TimeoutError";

/** The result of tests that did not get their turn. */
export const ownTestsSkipped = (note: string, framework: string | undefined): OwnTestResult[] => [{
  ...wholeRun(framework, "the run", "", "build-failure"),
  verdict: { status: "skipped", note, findings: [] },
}];

const bad = ({ status }: Pick<ProjectTest, "status">): boolean => status !== "passed" && status !== "skipped";

/** Failures first where not all can be kept; else as they ran. */
const ordered = (tests: readonly ProjectTest[]): readonly ProjectTest[] =>
  tests.length <= mostTests ? tests : [...tests.filter(bad), ...tests.filter((test) => !bad(test))];

function resultOf(
  framework: string,
  test: ProjectTest & { rerun?: string },
  stuck: readonly StuckTestAnswer[],
): OwnTestResult {
  const { name, suite, rerun, status, message, stack = [], output = "" } = test;
  const told = status === "stuck" ? stuck.find((each) => each.name === name) : undefined;
  const place = test.place ?? (told && stuckPlace(told));
  return {
    test: ownCase({ framework, test: name, ...definedOnly({ suite, rerun }) }, name, place),
    verdict: bad(test)
      ? failed(told === undefined ? message?.trim() || words[status] : stuckText(told), categoryOf(test))
      : { status: status as "passed" | "skipped", findings: [], ...noteOf(test) },
    durationMs: test.durationMs ?? told?.elapsed_ms ?? 0,
    output: bad(test) ? [...trace(stack), output].filter((line) => line !== "").join("\n") : output,
  };
}

/** Frames as their language prints them: Python the innermost last, others first. Those of Node itself say nothing. */
function trace(all: readonly string[]): string[] {
  const stack = all.filter((frame) => !/\bnode:/.test(frame));
  if (stack.length === 0 || !stack.every((frame) => frame.startsWith('File "'))) return stack.map(indented);
  return ["Traceback (most recent call last):", ...stack.map(indented).reverse()];
}

/** Output with the place of the failure before it, for a diagnosis. */
export const outputWithPlace = ({ test: { file, line }, output }: OwnTestResult): string =>
  file === undefined || line === undefined ? output : `    at ${file}:${line}\n${output}`;

/** A reason of a skip is no failure's message. */
const noteOf = ({ status, message }: ProjectTest): Pick<Verdict, "note"> =>
  status === "skipped" && message !== undefined ? { note: message } : {};

const words: Record<ProjectTestStatus, string> = {
  passed: "",
  skipped: "",
  failed: "It failed, and its framework says no more",
  crashed: "The process ended while it ran",
  stuck: "It was stuck",
  not_finished: "It had begun and did not end",
};

/** The first line of a message is to stand alone: `Expected values to be strictly equal:` says nothing without the next. */
const failed = (message: string, category: FailureCategory): Verdict => ({
  status: "failed",
  category,
  message: message.trim().replace(/^([^\n]*:)\s*\n\s*(?=\S)/, "$1 "),
  findings: [],
});

/** An exception that is no failed assertion is one of the code under test. */
function categoryOf({ status, message = "" }: ProjectTest): FailureCategory {
  if (status === "stuck") return "timeout";
  if (status !== "failed") return "runtime-exception";
  return exception.test(message) && !assertion.test(message) ? "runtime-exception" : "wrong-output";
}

const exception =
  /^(?:Uncaught )?(?:[A-Z]\w*(?:Error|Exception|Exit)(?: \[\w+\])?:|Cannot (?:read|set) properties of |[\w$.]+ is not (?:defined|a function|iterable|a constructor)|panicked at |panic: )/;
const assertion = /^(?:Uncaught )?Assert|^[\w.]*assert/i;

const stuckText = ({ diagnosis, elapsed_ms: elapsed, threads }: StuckTestAnswer): string =>
  [
    `Stuck: ${diagnosis}`,
    ...threads.flatMap(({ name, stack }) => [`${name}:`, ...stack.map(indented)]),
    `It was ended after ${(elapsed / 1000).toFixed(1)} s; tests that had not begun by then did not run.`,
  ].join("\n");

/** The first frame of the project's own code: others have absolute paths. */
function stuckPlace({ threads }: StuckTestAnswer): ProjectTest["place"] {
  const frames = threads.flatMap(({ stack }) =>
    stack.map((frame) => /\(([^()/<][^()]*):(\d+)\)$/.exec(frame))
  );
  const found = frames.find((frame) => frame !== null);
  return found ? { file: found[1]!, line: Number(found[2]) } : undefined;
}

const indented = (line: string): string => `    ${line}`;

/** Makes a result that stands for no single test. */
const wholeRun = (
  framework: string | undefined,
  name: string,
  message: string,
  category: FailureCategory,
  place?: ProjectTest["place"],
): OwnTestResult => ({
  test: ownCase(definedOnly({ framework }), name, place),
  verdict: failed(message, category),
  durationMs: 0,
  output: "",
});

const ownCase = (own: OwnTest, name: string, place?: ProjectTest["place"]): TestCase => ({
  id: "",
  name: own.test === undefined ? `own tests: ${name}` : name,
  tier: 1,
  own,
  expect: {},
  verify: [],
  setup: [],
  teardown: [],
  tags: [],
  generatedFrom: "manual",
  ...definedOnly({ file: place?.file, line: place?.line }),
});

/** Tests that the summary counts and no result stands for: of what failed nothing may be lost. */
function uncounted(
  framework: string,
  summary: NonNullable<ProjectTestAnswer["summary"]>,
  results: readonly OwnTestResult[],
): OwnTestResult[] {
  if (results.length === 0 && summary.passed + summary.skipped === 0) {
    return [wholeRun(framework, "the run", "No own test has a result", "build-failure")];
  }
  const of = (status: Verdict["status"]) => results.filter(({ verdict }) => verdict.status === status).length;
  const failures = summary.failed + (summary.stuck ?? 0) - of("failed");
  if (failures > 0) {
    const text = `${count(failures, "more own test")} failed that ${
      failures === 1 ? "is" : "are"
    } not listed`;
    return [wholeRun(framework, "more tests", text, "wrong-output")];
  }
  const others = summary.passed + summary.skipped - of("passed") - of("skipped");
  if (others <= 0) return [];
  const note = `${count(others, "more own test")} passed or were skipped, and are counted as one`;
  return [{
    test: ownCase({ framework }, "more tests"),
    verdict: { status: "passed", note, findings: [] },
    durationMs: 0,
    output: "",
  }];
}

/**
 * Gives each an id that is the same in the next run: by suite and name, numbered where these are alike. Ids of other tests
 * hold no colon.
 */
export function withOwnIds(results: readonly OwnTestResult[]): OwnTestResult[] {
  const bases = results.map(({ test: { name, own } }) =>
    `own:${slug([own!.suite ?? "", name].join(" ")).slice(0, longestId)}`
  );
  const plain = new Set(bases);
  const taken = new Set<string>();
  return results.map((result, at) => {
    const base = bases[at]!;
    let id = base;
    for (let n = 2; taken.has(id) || (id !== base && plain.has(id)); n++) id = `${base}-${n}`;
    taken.add(id);
    return { ...result, test: { ...result.test, id } };
  });
}
