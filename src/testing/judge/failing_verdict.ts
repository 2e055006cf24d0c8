/** Verdicts with messages that a person can act on, and the observation that they judge. */
import type { TestCase } from "../../../machines/model/test_case.ts";
import { textExcerpt } from "../../core/text.ts";
import type { FailureCategory, Finding, Verdict } from "../../../machines/model/verdict.ts";
import type { Observation as Seen } from "../../../machines/model/observation.ts";
import type { ToolDefinition } from "../../../machines/model/plugin.ts";

/** A test, or one of its steps in the place of a test. */
export interface TestIdentity extends TestCase {
  /** Subject in messages, if it is not the tool alone: "step 2 (get_user)". */
  label?: string;
}

/** Subject of messages. */
export const subjectLabel = ({ label, tool }: TestIdentity): string => label ?? tool ?? "the test";

interface Facts {
  expected?: unknown;
  actual?: unknown;
  findings?: Finding[];
}

/** A failure of a test on a tool; the message says who did what, and the input that led to it is added. */
export function failingVerdict(
  test: TestIdentity,
  category: FailureCategory,
  message: string,
  facts: Facts = {},
): Verdict {
  return {
    status: "failed",
    category,
    message: test.label !== undefined && test.input === undefined
      ? message
      : `${message}\n  called with: ${textExcerpt(test.input ?? {}, 1000)}`,
    findings: facts.findings ?? [],
    ...(facts.expected === undefined ? {} : { expected: facts.expected }),
    ...(facts.actual === undefined ? {} : { actual: facts.actual }),
  };
}

/** Neither passed nor failed, and why. */
export const skippingVerdict = (note: string): Verdict => ({ status: "skipped", note, findings: [] });

export interface JudgedObservation extends Omit<Seen, "callError"> {
  /** The tool as `tools/list` gave it; absent when it lists none of this name. */
  tool?: ToolDefinition;
  /** The outcome is that of a request other than a tool call. */
  noTool?: boolean;
  /**
   * A call that ended in neither an answer nor a lost server (`PROTOCOL_VIOLATION`: an answer without end;
   * `START_FAILED` …).
   */
  callError?: { code: string; message: string };
  /** Lines on stdout that are no JSON-RPC, seen between the test's begin and end; not those from before. */
  strayOutput: string[];
}
