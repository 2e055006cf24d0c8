/** Runs a project's tests as its framework plans them, with the real tools of this host. */
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Test } from "tap";
import type { ProjectTestEvent, ProjectTestRequest, TestCommand } from "../../machines/model/project_test.ts";
import { runCommand } from "../../src/platform/process.ts";
import { hostFolder } from "../../src/plugin/readable_folder.ts";
import type { ProjectTestFramework, TestProject } from "../../src/project_tests/framework.ts";
import { temporaryFolder } from "./temporary_folder.ts";

export interface ProjectTestsRun {
  events: ProjectTestEvent[];
  /** Names of tests by status. */
  passed: string[];
  failed: string[];
  skipped: string[];
  /** Reasons of suites that did not end as they should. */
  broken: string[];
  /** Failures before any test, as `file:line`. */
  notRun: string[];
  project: TestProject;
}

export async function runProjectTests(
  t: Test,
  framework: ProjectTestFramework,
  root: string,
  request: ProjectTestRequest = {},
): Promise<ProjectTestsRun> {
  const scratch = await temporaryFolder(t);
  const events = join(scratch, "events");
  const start = ({ argv, env, cwd }: TestCommand) =>
    runCommand(argv, { cwd: join(root, cwd ?? ""), ...env === undefined ? {} : { env } });
  const project: TestProject = {
    folder: hostFolder(root),
    root,
    request,
    probe: (argv, env = {}) => start({ argv: [...argv], env }),
  };
  const plan = await framework.plan(project, { scratch, events });
  for (const [name, text] of Object.entries(plan.files)) await writeFile(join(scratch, name), text);
  const told: ProjectTestEvent[] = [];
  for (const command of plan.preparation) {
    const result = await start(command);
    if (result.code !== 0) return summaryOf(framework.readPreparation!(result, project), project);
  }
  for (const command of plan.runs) {
    await writeFile(events, "");
    const reader = framework.reader(project);
    const { code, signal } = await runCommand(command.argv, {
      cwd: join(root, command.cwd ?? ""),
      ...command.env === undefined ? {} : { env: command.env },
      onOutput: (text, stream) => void told.push(...reader.push(stream, text)),
    });
    told.push(...reader.push("events", await readFile(events, "utf8")), ...reader.end({ code, signal }));
  }
  return summaryOf(told, project);
}

function summaryOf(events: ProjectTestEvent[], project: TestProject): ProjectTestsRun {
  const named = (status: "passed" | "failed" | "skipped") =>
    events.flatMap((event) =>
      event.type === "finished" && event.outcome.status === status ? [event.test.name] : []
    );
  return {
    events,
    passed: named("passed"),
    failed: named("failed"),
    skipped: named("skipped"),
    broken: events.flatMap((event) =>
      event.type === "suite_ended" && !event.complete ? [event.reason ?? ""] : []
    ),
    notRun: events.flatMap((event) =>
      event.type === "not_run" ? [`${event.place?.file}:${event.place?.line}`] : []
    ),
    project,
  };
}
