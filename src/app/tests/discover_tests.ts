/** Tests that the plugin brings along in `.pth/tests` become the session's baseline. */
import { join, posix } from "node:path";
import { requireInside } from "../../platform/write_inside.ts";
import { openConfined } from "../../platform/confined/open_confined.ts";
import { assignIds } from "../../testing/format/ids.ts";
import { defaultTestFolder } from "../../testing/format/test_folders.ts";
import { invalidTestFiles, problemLine } from "../../core/problems.ts";
import type { SessionParts } from "../session/session_parts.ts";
import { count } from "../../core/text.ts";

/** Folder of the plugin's tests in the session's copy. */
export const testFolder = ({ live }: SessionParts): string =>
  join(live.code.source!.worktree, live.code.source!.subfolder, defaultTestFolder);

/**
 * Path of `testFolder`, or of a folder in it, for writing.
 * @throws {PthError} `INVALID_INPUT` where the plugin has put a link in its place that leads elsewhere on this machine
 */
export async function folderForTests(context: SessionParts, below = ""): Promise<string> {
  const { worktree, subfolder } = context.live.code.source!;
  const path = posix.join(defaultTestFolder, below);
  await requireInside(join(worktree, subfolder), posix.join(path, "test.yaml"));
  return join(worktree, subfolder, path);
}

/**
 * The plugin's folder, as the files of its tests are named: the author's in a scripted run, whose copy is gone when they
 * read about it; in a session the copy, where fixes are made.
 */
export function shownFolder({ live }: SessionParts): string {
  const { source, folder, worktree, subfolder } = live.code.source!;
  return live.mode === "run" && folder !== undefined ? source : join(worktree, subfolder);
}

/** Limit of mistakes that are reported one by one. */
const problemsTold = 20;

/**
 * Adds the tests found to those that the session has; none found is fine. A session goes on without what cannot be read,
 * and tells it; files that had a mistake are read again the next time.
 * @throws {PthError} `INVALID_TEST_FILE` in a scripted run, whose verdict must not leave tests out
 */
export async function discoverTests(context: SessionParts): Promise<void> {
  const { live } = context;
  if (context.tests.replaced) return;
  if (context.tests.all.length > 0 && context.tests.problems.length === 0) return;
  const folder = testFolder(context);
  const { worktree, subfolder } = live.code.source!;
  const place = openConfined(join(worktree, subfolder));
  if (await place.stat(defaultTestFolder, { followWithin: true }) === undefined) return;
  const { loadWithProblems } = await import("../../testing/format/load.ts");
  const { tests, problems, texts } = await loadWithProblems(
    folder,
    join(shownFolder(context), defaultTestFolder),
  );
  if (problems.length > 0 && live.mode === "run") throw invalidTestFiles(problems);
  const known = new Set(context.tests.all.map(({ name }) => name));
  context.tests.all = assignIds([...context.tests.all, ...tests.filter(({ name }) => !known.has(name))]);
  context.tests.problems = problems;
  for (const [file, text] of texts) context.tests.texts.set(file, text);
  if (problems.length === 0) return;
  live.progress.note(
    [
      `${count(problems.length, "mistake")} in test files; the other tests are loaded:`,
      ...problems.slice(0, problemsTold).map((problem) => `  ${problemLine(problem)}`),
      ...(problems.length > problemsTold
        ? [`  … ${problems.length - problemsTold} more in the list of tests`]
        : []),
    ].join("\n"),
  );
}
