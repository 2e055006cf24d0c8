/** Words and verdicts for tests whose outcome depends on what ran before. */
import type { PlannedTest } from "../model/observation.ts";
import type { Verdict } from "../model/verdict.ts";
import type { Attempts } from "./attempts.ts";
import type { Conclusion, OrderEntry, Suspect } from "./order_search.ts";

/** Verdict of a test once its order was checked. */
export interface OrderedVerdict {
  verdict: Verdict;
  attempts?: Attempts;
}

const quoted = ({ test: { name } }: PlannedTest) => `"${name}"`;

/** The verdict of a test that came out otherwise after others: failed in either case, or flaky where it did so once. */
export function concludeOrder({ entry, verdict }: Suspect, conclusion: Conclusion): OrderedVerdict {
  const { planned, verdict: own } = entry;
  const failsAlone = own.status === "failed";
  const failure = failsAlone ? own : verdict;
  if (conclusion.kind === "not_again") {
    const times = failsAlone
      ? "failed once on a fresh server, and not again"
      : "failed once after other tests, and not again";
    return {
      verdict: { ...failure, status: "flaky", note: joined(failure.note, times) },
      attempts: { runs: 2, failures: 1, retried: 1, failure },
    };
  }
  const said = wordsOf(conclusion, failsAlone);
  // One finding for each cause.
  const finding = {
    severity: "warning" as const,
    code: "depends-on-order",
    ...(planned.test.tool === undefined ? {} : { tool: planned.test.tool }),
    message: `${quoted(planned)} ${said}`,
  };
  return {
    verdict: {
      ...failure,
      message: `${failure.message ?? ""}\n  ${said}`.trim(),
      findings: conclusion.kind === "like" ? failure.findings : [...failure.findings, finding],
    },
  };
}

function wordsOf(conclusion: Exclude<Conclusion, { kind: "not_again" }>, failsAlone: boolean): string {
  const [here, there] = failsAlone ? ["fails", "passes"] : ["passes", "fails"];
  switch (conclusion.kind) {
    case "repeated":
      return `${here} the first time and ${there} from then on, on a fresh server, too: what it left outside of the server counts`;
    case "pair":
      return `${here} on a fresh server and ${there} after ${quoted(conclusion.first)}`;
    case "several":
      return `${here} on a fresh server and ${there} after the ${conclusion.tests.length} tests from ${
        quoted(conclusion.tests[0]!)
      } to ${quoted(conclusion.tests.at(-1)!)}; no half of them is enough`;
    case "like":
      return `${here} on a fresh server and ${there} after others, as ${quoted(conclusion.other)} does`;
    case "unknown":
      return `${here} on a fresh server and ${there} after tests of other tools; the time for finding out which was used up`;
  }
}

const joined = (note: string | undefined, more: string) => [note, more].filter(Boolean).join("; ");

/** A tool that refused on a fresh server and was of use after others. */
export const acceptedAfterOthers = (verdict: Verdict): Verdict => ({
  ...verdict,
  note: joined(verdict.note, "refused on a fresh server; accepted once tests of other tools had run on it"),
});

/** The first of tests that are not repeated says so of all. */
export function notRepeated(entries: readonly OrderEntry[]): Record<string, OrderedVerdict> {
  const [first] = entries;
  if (first === undefined) return {};
  const { planned: { test }, verdict } = first;
  const finding = {
    severity: "info" as const,
    code: "order-not-examined",
    ...(test.tool === undefined ? {} : { tool: test.tool }),
    message: `${entries.length} tests from "${test.name}" on were not repeated after tests of other tools: ` +
      "the time for it was used up",
  };
  return { [test.id]: { verdict: { ...verdict, findings: [...verdict.findings, finding] } } };
}
