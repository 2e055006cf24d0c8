/** Reads the XML of Catch2, versions 2 and 3, and of doctest, as a test program writes it to a file. */
import type { ProjectTestOutcome, TestLocation } from "../../../machines/model/project_test.ts";
import type { EventReader } from "../framework.ts";
import { indentedText } from "./indented_text.ts";
import { cutMiddle } from "./line_cutter.ts";
import { createProgramReader } from "./program_reader.ts";
import { projectPath } from "./project_path.ts";
import type { TestLedger } from "./test_ledger.ts";
import { createXmlReader, type XmlReader } from "./xml_reader.ts";

type Attributes = Readonly<Record<string, string>>;

interface Failure {
  place: TestLocation | undefined;
  /** Line of the assertion, what it was expanded to, sections, messages. */
  lines: string[];
}

/** The test case that is being read. */
interface TestCase {
  name: string;
  place: TestLocation | undefined;
  sections: string[];
  /** Messages that were set before the next assertion. */
  notes: string[];
  failures: Failure[];
  skipped?: string;
  /** An assertion that did not hold, and what is known of it. */
  expression?: { failure: Failure; type: string; original: string };
  fatal?: string;
}

const mostFailures = 20;
/** Elements within an assertion that say more of it. */
const inExpression: Record<string, string> = { Info: "info", ExpectedException: "expected exception" };

/** @param root absolute path of the project's folder */
export const createAssertionReader = (root: string): EventReader =>
  createProgramReader({ events: (ledger) => assertionXml(ledger, root), repeats: true });

function assertionXml(ledger: TestLedger, root: string): XmlReader {
  /** Elements that are open, outermost first. */
  const path: { name: string; attributes: Attributes }[] = [];
  let text = "";
  let test: TestCase | undefined;
  let fatal: string | undefined;

  const placeOf = ({ filename, line }: Attributes): TestLocation | undefined =>
    filename === undefined ? undefined : {
      file: projectPath(root, filename),
      ...Number(line) > 0 ? { line: Number(line) } : {},
    };

  const open = (name: string, attributes: Attributes): void => {
    if (path.length === 0) ledger.plan(undefined);
    if (name === "TestCase") {
      test = {
        name: attributes.name ?? "",
        place: placeOf(attributes),
        sections: [],
        notes: [],
        failures: [],
      };
      ledger.start({ name: test.name });
    }
    if (test === undefined) return;
    if (name === "Section" || name === "SubCase") test.sections.push(attributes.name ?? "");
    // Warnings of doctest are no failures.
    const isFailure = name === "Message"
      ? attributes.type !== "WARNING"
      : attributes.success === "false" && !/^WARN/.test(attributes.type ?? "");
    if ((name === "Expression" || name === "Message") && isFailure) {
      test.expression = {
        failure: failureIn(test, placeOf(attributes)),
        type: attributes.type ?? "",
        original: "",
      };
    }
    if (name === "Exception" || name === "Failure" || name === "FatalErrorCondition" || name === "Skip") {
      test.expression ??= { failure: failureIn(test, placeOf(attributes)), type: "", original: "" };
    }
  };

  const close = (name: string, attributes: Attributes, content: string): void => {
    if (name === "OverallResultsCases" && path.length === 1) endRun(attributes);
    if (name === "OverallResultsTestCases") endRun(attributes);
    if (test === undefined) return;
    const { expression } = test;
    if (name === "Section" || name === "SubCase") test.sections.pop();
    else if (
      path.at(-1)?.name === "Expression" && expression !== undefined && inExpression[name] !== undefined
    ) {
      expression.failure.lines.push(`${inExpression[name]}: ${content}`);
    } else if (name === "Text" && expression !== undefined) expression.failure.lines.unshift(content);
    else if (name === "Info" || name === "Warning") test.notes.push(`${name.toLowerCase()}: ${content}`);
    else if (name === "Original" && expression !== undefined) expression.original = content;
    else if (name === "Expanded" && expression !== undefined) {
      if (content !== expression.original) expression.failure.lines.push(`with expansion: ${content}`);
    } else if (
      name === "Exception" || name === "Failure" || name === "FatalErrorCondition" || name === "Skip"
    ) {
      if (name === "FatalErrorCondition" || attributes.crash === "true") test.fatal = content;
      endFailure(test, name, content, path.at(-1)?.name === "Expression");
    } else if ((name === "Expression" || name === "Message") && expression !== undefined) {
      const { type, original, failure } = expression;
      const isKnown = original !== "" && !original.startsWith("{Unknown");
      const assertion = type === "" ? original : `${type}( ${original} )`;
      test.failures.push(isKnown ? { ...failure, lines: [assertion, ...failure.lines] } : failure);
      delete test.expression;
      test.notes = [];
    } else if (name === "StdOut" || name === "StdErr") {
      ledger.output(`${content}\n`, { name: test.name });
    } else if (name === "OverallResult" || name === "OverallResultsAsserts") {
      ledger.finish({ name: test.name }, outcomeOf(test, attributes));
      fatal ??= test.fatal;
      test = undefined;
    } else if (name === "TestCase") {
      if (attributes.skipped === "true") ledger.finish({ name: test.name }, { status: "skipped" });
      test = undefined;
    }
  };

  const endRun = (attributes: Attributes): void => {
    if (fatal !== undefined) {
      ledger.breakSuite(undefined, `a test crashed, and those after it were not run: ${fatal}`);
      return;
    }
    const number = (name: string): number => Number(attributes[name] ?? 0);
    ledger.endSuite(undefined, {
      passed: number("successes") + number("expectedFailures"),
      failed: number("failures"),
      // doctest tells this number only where it tells each of them.
      ...path[0]?.name === "doctest" && attributes.skipped === undefined
        ? {}
        : { skipped: number("skips") + number("skipped") },
    });
  };

  return createXmlReader({
    open(name, attributes) {
      open(name, attributes);
      path.push({ name, attributes });
      text = "";
    },
    text(more) {
      text += more;
      if (text.length > 512 * 1024) text = cutMiddle(text);
    },
    close(name) {
      const { attributes = {} } = path.pop() ?? {};
      // Output of a test comes as it was printed, all else is indented.
      const isOutput = name.startsWith("Std");
      close(name, attributes, isOutput ? text.replace(/^\n/, "").trimEnd() : indentedText(text));
      text = "";
    },
  });
}

const failureIn = ({ sections, notes }: TestCase, place: TestLocation | undefined): Failure => ({
  place,
  lines: [...sections.length === 0 ? [] : [`in section: ${sections.join(" / ")}`], ...notes],
});

/** Ends what stands by itself, or within an expression that threw. */
function endFailure(test: TestCase, name: string, content: string, isWithin: boolean): void {
  const { expression } = test;
  if (expression === undefined) return;
  const word = test.fatal !== undefined
    ? "fatal: "
    : { Exception: "exception: ", FatalErrorCondition: "fatal: ", Failure: "", Skip: "" }[name]!;
  if (isWithin) {
    // Catch2 knows no expression where a signal was raised: the signal is all there is to say.
    if (name === "FatalErrorCondition" && expression.original.startsWith("{Unknown")) {
      expression.failure.lines.length = 0;
    }
    expression.failure.lines.push(`${word}${content}`);
    return;
  }
  delete test.expression;
  if (name === "Skip") test.skipped = content;
  else {test.failures.push({
      ...expression.failure,
      lines: [`${word}${content}`, ...expression.failure.lines],
    });}
  test.notes = [];
}

function outcomeOf(test: TestCase, attributes: Attributes): ProjectTestOutcome {
  const seconds = Number(attributes.durationInSeconds ?? attributes.duration);
  const duration = Number.isFinite(seconds) ? { durationMs: seconds * 1000 } : {};
  if ((attributes.success ?? attributes.test_case_success) === "true") {
    // Catch2 counts a test that failed as expected so, though a part of it was skipped.
    if (!(Number(attributes.skips) > 0) || test.failures.length > 0) return { status: "passed", ...duration };
    return { status: "skipped", ...duration, ...test.skipped === undefined ? {} : { message: test.skipped } };
  }
  const [first] = test.failures;
  const place = first?.place ?? test.place;
  const message = test.failures.slice(0, mostFailures).map(({ place, lines }, at) =>
    at === 0 || place === undefined ? lines.join("\n") : `${place.file}:${place.line}: ${lines.join("\n")}`
  ).join("\n\n");
  return {
    status: "failed",
    ...duration,
    ...message === "" ? {} : { message },
    ...place === undefined ? {} : { place },
  };
}
