/** Output of real runs, recorded, and read again as if it came now. */
import { readFileSync } from "node:fs";
import type {
  ProjectTestEvent,
  ProjectTestOutcome,
  ProjectTestRequest,
} from "../../../machines/model/project_test.ts";
import { folderOf } from "../../../src/plugin/readable_folder.ts";
import type {
  ProbeResult,
  ProjectTestFramework,
  TestProject,
  TestStream,
} from "../../../src/project_tests/framework.ts";

/** Folder in which all runs were recorded. */
export const recordedRoot = "/project";

export function projectOf(
  files: Record<string, string>,
  request: ProjectTestRequest = {},
  probe: (argv: readonly string[]) => ProbeResult = () => ({ code: null, stdout: "", stderr: "not there" }),
): TestProject {
  return {
    folder: folderOf(files),
    root: recordedRoot,
    request,
    probe: (argv) => Promise.resolve(probe(argv)),
  };
}

/** Text of a fixture of `test/fixtures/project_tests/`. */
export const recorded = (name: string): string =>
  readFileSync(new URL(`../../fixtures/project_tests/${name}`, import.meta.url), "utf8");

export interface ReadRun {
  events: ProjectTestEvent[];
  /** Outcomes by `suite: name`. */
  outcomes: Record<string, ProjectTestOutcome>;
  counts: Record<ProjectTestOutcome["status"], number>;
  notRun: Extract<ProjectTestEvent, { type: "not_run" }>[];
  incomplete: Extract<ProjectTestEvent, { type: "suite_ended" }>[];
  unreadable: string[];
  /** Names of tests that started and did not finish. */
  open: string[];
}

/** Reads streams of a run; `pieces` cuts those of the process into parts of that many characters. */
export function readRun(
  framework: ProjectTestFramework,
  streams: Partial<Record<TestStream, string>>,
  { exit = { code: 0, signal: null }, request = {}, pieces = Infinity }: {
    exit?: { code: number | null; signal: string | null };
    request?: ProjectTestRequest;
    pieces?: number;
  } = {},
): ReadRun {
  const reader = framework.reader(projectOf({}, request));
  const events: ProjectTestEvent[] = [];
  for (const [stream, text] of Object.entries(streams) as [TestStream, string][]) {
    const size = stream === "events" ? text.length + 1 : Math.min(pieces, text.length + 1);
    for (let at = 0; at < text.length; at += size) {
      events.push(...reader.push(stream, text.slice(at, at + size)));
    }
  }
  events.push(...reader.end(exit));
  const keyOf = ({ suite, name }: { suite?: string; name: string }) =>
    suite === undefined ? name : `${suite}: ${name}`;
  const outcomes: Record<string, ProjectTestOutcome> = {};
  const open = new Set<string>();
  const counts = { passed: 0, failed: 0, skipped: 0 };
  for (const event of events) {
    if (event.type === "started") open.add(keyOf(event.test));
    if (event.type !== "finished") continue;
    open.delete(keyOf(event.test));
    outcomes[keyOf(event.test)] = event.outcome;
    counts[event.outcome.status]++;
  }
  return {
    events,
    outcomes,
    counts,
    notRun: events.filter((event) => event.type === "not_run"),
    incomplete: events.filter((event) =>
      event.type === "suite_ended" && !event.complete
    ) as ReadRun["incomplete"],
    unreadable: events.flatMap((event) => event.type === "unreadable" ? [event.text] : []),
    open: [...open],
  };
}
