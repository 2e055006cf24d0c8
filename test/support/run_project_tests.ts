/** Runs a project's tests by `pth test`, with the real tools of this host. */
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import t, { type Test } from "tap";
import type { ProjectTest, ProjectTestStatus } from "../../machines/model/project_test.ts";
import type { ProjectTestAnswer } from "../../machines/model/project_test_run.ts";
import { runCommand } from "../../src/platform/process.ts";
import type { RunDetails } from "../../src/project_tests/answer_of_run.ts";
import { openCliTurns } from "./cli_turns.ts";
import { temporaryFolder } from "./temporary_folder.ts";

export interface ProjectTestsRun {
  root: string;
  code: number | null;
  answer: ProjectTestAnswer;
  details: RunDetails;
  /** Names of tests by status. */
  passed: string[];
  failed: string[];
  skipped: string[];
  crashed: string[];
  /** Failures before any test, as `file:line`. */
  notRun: string[];
}

const turns = openCliTurns();
t.teardown(() => turns.close());

/** @param options those of `pth test` */
export async function runProjectTests(root: string, ...options: string[]): Promise<ProjectTestsRun> {
  const { code, stdout, stderr } = await turns.run(["test", root, "--json", ...options], { env: {} });
  if (!stdout.startsWith("{")) throw new Error(`pth test ended with ${code}: ${stdout}${stderr}`);
  const answer: ProjectTestAnswer = JSON.parse(stdout);
  const details: RunDetails = JSON.parse(await readFile(answer.details!, "utf8"));
  const named = (status: ProjectTestStatus) =>
    details.tests.filter((test) => test.status === status).map(({ name }) => name);
  return {
    root,
    code,
    answer,
    details,
    passed: named("passed"),
    failed: named("failed"),
    skipped: named("skipped"),
    crashed: named("crashed"),
    notRun: details.problems.filter(({ isBeforeTests }) => isBeforeTests)
      .map(({ place }) => `${place?.file}:${place?.line}`),
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

export const testNamed = ({ details }: ProjectTestsRun, name: string): ProjectTest =>
  details.tests.find((test) => test.name === name)!;

/** Output of the command that runs a failed test again, pasted into a shell. */
export async function pasted({ root, answer }: ProjectTestsRun, name: string) {
  const { rerun } = answer.failures!.find((failure) => failure.name === name)!;
  const { code, stdout, stderr } = await runCommand(["sh", "-c", rerun!], { cwd: root });
  return { code, output: `${stdout}${stderr}` };
}
