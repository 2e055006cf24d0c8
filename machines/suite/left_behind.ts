/**
 * Crashes that a call leaves behind: the server ends after its answer, at the next call, which may be of another tool. On a
 * fresh server that one is answered.
 */
import type { Observation, PlannedTest } from "../model/observation.ts";
import type { Finding, Verdict } from "../model/verdict.ts";
import { withNote } from "../test/test_setup.ts";

/** The test that a server ran before. */
export interface EarlierTest {
  tool: string | undefined;
  name: string;
}

export const earlierTest = ({ test: { tool, name } }: PlannedTest): EarlierTest => ({ tool, name });

export interface JudgedTest {
  verdict: Verdict;
  observation: Observation;
}

/** True for a test by whose call the server ended. */
export const isCrash = ({ verdict, observation }: JudgedTest): boolean =>
  verdict.status === "failed" && observation.loss !== undefined;

/** True where the test may have met a crash of another tool's. */
export const mayBeLeftBehind = (planned: PlannedTest, judged: JudgedTest, before: EarlierTest | undefined) =>
  isCrash(judged) && before?.tool !== undefined && before.tool !== planned.test.tool &&
  planned.test.generatedFrom !== "manual" && planned.test.steps === undefined;

const findingOf = (before: EarlierTest, { test }: PlannedTest): Finding => ({
  severity: "warning",
  code: "crash-left-behind",
  ...(before.tool === undefined ? {} : { tool: before.tool }),
  message: `"${before.name}" was answered, and the server ended at the call after it, "${test.name}", ` +
    "which a fresh server answers",
});

/** Verdict of the test on a fresh server, where tests of the earlier tool have failed by the crash themselves. */
export const laidOnEarlier = (verdict: Verdict, before: EarlierTest, planned: PlannedTest): Verdict => ({
  ...withNote(
    verdict,
    `after "${before.name}" the server ended at this call; this run was on a fresh server`,
  ),
  findings: [...verdict.findings, findingOf(before, planned)],
});

/** The failure stays, as no other test shows the crash; it says where it comes from. */
export const failedAfterEarlier = (verdict: Verdict, before: EarlierTest, planned: PlannedTest): Verdict => ({
  ...verdict,
  message: `${verdict.message ?? ""}\n  passes on a fresh server: "${before.name}" ran before it`.trim(),
  findings: [...verdict.findings, findingOf(before, planned)],
});
