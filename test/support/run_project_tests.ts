/** Runs a project's tests as its framework plans them, with the real tools of this host. */
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { Test } from "tap";
import type { ProjectTestEvent, ProjectTestRequest, TestCommand } from "../../machines/model/project_test.ts";
import { shellWord } from "../../src/core/shell_word.ts";
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

/** Reason to skip where a program is not installed. */
export async function missing(...programs: string[]): Promise<string | false> {
  for (const program of programs) {
    const { code } = await runCommand(["sh", "-c", `command -v ${program}`]);
    if (code !== 0) return `${program} is not installed`;
  }
  return false;
}

/** A folder with these files, removed at the end of the test. */
export async function projectOf(t: Test, files: Record<string, string>): Promise<string> {
  const root = await temporaryFolder(t);
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(root, path)), { recursive: true });
    await writeFile(join(root, path), text);
  }
  return root;
}

/** Output of the command that a failure's rerun is, pasted into a shell. */
export async function pasted(
  framework: ProjectTestFramework,
  { events, project }: ProjectTestsRun,
  name: string,
) {
  const test = events.flatMap((event) =>
    event.type === "finished" && event.test.name === name ? [event.test] : []
  )[0]!;
  const { argv, cwd = "" } = framework.rerun!({ ...test, status: "failed" }, project);
  const { code, stdout, stderr } = await runCommand(["sh", "-c", argv.map(shellWord).join(" ")], {
    cwd: join(project.root, cwd),
  });
  return { code, output: `${stdout}${stderr}` };
}
