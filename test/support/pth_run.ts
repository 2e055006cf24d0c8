/** `pth run` with folders of PTH's own, and what it reported. */
import { join } from "node:path";
import type { Test } from "tap";
import { makeTempDir, pathExists, readDir, readTextFile } from "../../src/platform/files.ts";
import { imageDir } from "../../src/platform/host.ts";
import { type Report, reportSchema } from "../../src/testing/report/report_schema.ts";
import type { CliTurns } from "./cli_turns.ts";
import { pth } from "./pth.ts";
import { removeWhenLeft } from "./temporary_folder.ts";

export { fixture, root } from "./root.ts";

export interface Place {
  /** For whatever the test needs; removed at its end. */
  folder: string;
  /** Variables for PTH: its state and worktrees lie in the folder; the images are the machine's. */
  env: { PTH_HOME: string; PTH_WORKTREE_DIR: string; PTH_BASE_IMAGE_DIR: string };
}

export async function makePlace(t: Pick<Test, "teardown">): Promise<Place> {
  const folder = await makeTempDir({ prefix: "pth-acceptance-" });
  t.teardown(() => removeWhenLeft(folder));
  return {
    folder,
    env: {
      PTH_HOME: join(folder, "home"),
      PTH_WORKTREE_DIR: join(folder, "worktrees"),
      PTH_BASE_IMAGE_DIR: imageDir(),
    },
  };
}

export interface Ran {
  code: number | null;
  stdout: string;
  stderr: string;
  report: Report;
}

let runs = 0;

/** Runs `pth run …` to its end; the report must fit its schema. @param run in place of a process for this run alone */
export async function runPth(
  place: Place,
  args: readonly string[],
  env: Record<string, string> = {},
  run: CliTurns["run"] = pth,
): Promise<Ran> {
  const file = join(place.folder, `report-${++runs}.json`);
  // What stands behind "--" is the server's.
  const command = ["run", "--reporter", "spec", "--reporter", `json:${file}`, ...args];
  const { code, stdout, stderr } = await run(command, { env: { ...place.env, ...env } });
  if (!await pathExists(file)) {
    throw new Error(`pth ${command.join(" ")} wrote no report:\n${stdout}${stderr}`);
  }
  return { code, stdout, stderr, report: reportSchema.parse(JSON.parse(await readTextFile(file))) };
}

/** What went wrong, for a person: how the run ended, and each failure with its first line. */
export const story = ({ code, report, stderr }: Ran): string =>
  [
    `exit ${code}`,
    report.error?.message,
    stderr,
    ...failures(report).map(({ name, message }) => `${name}: ${message}`),
  ]
    .filter(Boolean).join("\n");

export const failures = (report: Report): Report["tests"] =>
  report.tests.filter(({ status }) => status === "failed");

/** "tool: category" of each failure, each once; tests of the server as a whole by their name. */
export const failureKinds = (report: Report): string[] =>
  [
    ...new Set(failures(report).map(({ tool, name, category }) => `${tool ?? name}: ${category}`)),
  ].sort();

export const verdicts = (report: Report): Record<string, string> =>
  Object.fromEntries(report.tests.map(({ name, status }) => [name, status]));

/**
 * Names of folders of environments, once those that a process of its own still removes have gone; for a minute at the most.
 * @param kind `boxes` of sandboxes, or `hosts`
 */
export async function environmentsIn(home: string, kind: "boxes" | "hosts"): Promise<string[]> {
  for (let left = 600;; left--) {
    const names = await namesIn(join(home, kind));
    if (left === 0 || !names.some((name) => name.includes(".leaving-"))) return names;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

/** Names in a folder; none where there is no folder. */
export async function namesIn(folder: string): Promise<string[]> {
  const names: string[] = [];
  if (await pathExists(folder)) { for await (const { name } of readDir(folder)) names.push(name); }
  return names.sort();
}
