/** Recorded runs with the lines that they are read as, which lie beside them. */
import { readFileSync } from "node:fs";
import type { Test } from "tap";
import type { ProjectTestOutcome } from "../../../machines/model/project_test.ts";
import type { ProjectTestFramework, TestProject } from "../../../src/project_tests/framework.ts";
import {
  type FrameworkCase,
  projectFor,
  readAll,
  recordedRun,
  testFrameworkContract,
} from "../../contracts/test_framework_contract.ts";

/** Lines of a run as `toldIn` makes them, from `<name>.txt` beside the recording; their line feeds are written `⏎`. */
export const toldLines = (name: string): string[] =>
  readFileSync(new URL(`../../fixtures/project_tests/${name}.txt`, import.meta.url), "utf8")
    .split("\n").filter((line) => line !== "").map((line) => line.replaceAll("⏎", "\n"));

/** Tests that a run is read as its lines say, however it arrives, and as many as its framework counts. */
export function testRecorded(
  t: Test,
  framework: ProjectTestFramework,
  name: string,
  counts: Record<ProjectTestOutcome["status"], number>,
  options: Pick<FrameworkCase, "tellsEnd" | "project"> = {},
): void {
  testFrameworkContract(t, { framework, run: recordedRun(name), expected: toldLines(name), ...options });
  const statuses = Object.values(outcomesOf(framework, name, options.project)).map(({ status }) => status);
  const count = (status: string) => statuses.filter((one) => one === status).length;
  t.strictSame(
    { passed: count("passed"), failed: count("failed"), skipped: count("skipped") },
    counts,
    "as many as the framework counts",
  );
  t.end();
}

/** Outcomes of the tests of a run by `suite: name`. */
export function outcomesOf(
  framework: ProjectTestFramework,
  name: string,
  project: Partial<TestProject> = {},
): Record<string, ProjectTestOutcome> {
  const events = readAll(framework.reader({ ...projectFor(), ...project }), recordedRun(name));
  return Object.fromEntries(
    events.flatMap((event) =>
      event.type === "finished"
        ? [[
          `${event.test.suite === undefined ? "" : `${event.test.suite}: `}${event.test.name}`,
          event.outcome,
        ]]
        : []
    ),
  );
}
