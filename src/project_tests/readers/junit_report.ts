/** Reads reports in JUnit's XML, which many test tools write. */
import { cutMiddle } from "./line_cutter.ts";
import { createXmlReader } from "./xml_reader.ts";

export interface JunitCase {
  className: string;
  /** Empty for what failed of a class as a whole. */
  name: string;
  /** Attributes of its element, of which each tool has others. */
  attributes: Readonly<Record<string, string>>;
  status: "passed" | "failed" | "skipped";
  durationMs?: number;
  /** Text of a failure, with its stack, or why it was skipped. */
  text: string;
  output: string;
}

export interface JunitReport {
  push(text: string): void;
  /** Reason why the report is not whole; undefined where it is. */
  end(): string | undefined;
}

const mostText = 64 * 1024;
const failures = new Set(["failure", "error"]);
const outputs = new Set(["system-out", "system-err"]);

export function createJunitReport(onCase: (found: JunitCase) => void): JunitReport {
  let current: JunitCase | undefined;
  let within: "text" | "output" | undefined;
  let body = "";
  let counted = 0;
  /** Number of tests by the attributes of suites, where they tell it. */
  let told = 0;
  let depth = 0;
  let suites = 0;
  let isEnded = false;
  const xml = createXmlReader({
    open(name, attributes) {
      depth++;
      // Suites within others are counted with these.
      if (name === "testsuite" && suites++ === 0) told += Number(attributes.tests ?? Number.NaN);
      if (name === "testcase") current = caseOf(attributes);
      if (current === undefined) return;
      const isFailure = failures.has(name);
      if (isFailure || name === "skipped") {
        within = "text";
        body = "";
        current.status = isFailure ? "failed" : "skipped";
        current.text = [isFailure ? attributes.type : "", attributes.message].filter(Boolean).join(": ");
      } else within = outputs.has(name) ? "output" : undefined;
    },
    text(text) {
      if (current === undefined) return;
      if (within === "text") body = cutMiddle(body + text, mostText);
      if (within === "output") current.output = cutMiddle(current.output + text, mostText);
    },
    close(name) {
      depth--;
      if (name === "testsuite") suites--;
      isEnded ||= depth === 0;
      // The text of a failure begins with its type and message.
      if (within === "text" && current !== undefined && body.trim() !== "") current.text = body.trim();
      within = undefined;
      if (name !== "testcase" || current === undefined) return;
      counted++;
      onCase(current);
      current = undefined;
    },
  });
  return {
    push: (text) => xml.push(text),
    end: () =>
      !isEnded
        ? "it is cut off"
        : Number.isNaN(told) || counted === told
        ? undefined
        : `it counts ${told} tests, and tells ${counted}`,
  };
}

function caseOf(attributes: Readonly<Record<string, string>>): JunitCase {
  const { classname = "", name = "", time = "" } = attributes;
  const seconds = Number(time.replaceAll(",", "") || Number.NaN);
  const duration = seconds >= 0 ? { durationMs: Math.round(seconds * 1000) } : {};
  return { className: classname, name, attributes, status: "passed", text: "", output: "", ...duration };
}
