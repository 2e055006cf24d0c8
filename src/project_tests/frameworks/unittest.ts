import { assetText } from "../../platform/asset_text.ts";
import { findFiles } from "../count_files.ts";
import { defineFramework, type TestProject } from "../framework.ts";
import { pythonLauncher } from "../python_launcher.ts";
import { eventsVariable, reportedEvents } from "../readers/reported_events.ts";
import { functionsToTrace } from "../stack_frames.ts";
import { filesOfLevel } from "../test_levels.ts";

const testFile = /(?:^|\/)test[^/]*\.py$/;
const mostRead = 40;

/** Python of a project, for reruns. */
const pythons = new WeakMap<TestProject, string>();

export default defineFramework({
  name: "unittest",
  summary:
    "runs Python's unittest with a result of its own, which is also the usual one; finds tests below the folder " +
    "of tests or the project's; levels are folders or names of files",
  language: "python",
  buildSystem: "pip",
  detectedBy: "test files with classes of `unittest`",
  needs: (project) => [pythons.get(project) ?? "python3"],
  async detect({ folder }) {
    const found = await firstUsing(folder);
    return found === undefined ? undefined : { confidence: 65, reason: `${found} has classes of unittest` };
  },
  async plan(project, place) {
    const { folder, request: { level, test } } = project;
    const python = await pythonLauncher(folder);
    pythons.set(project, python);
    const chosen = test !== undefined
      ? [test]
      : level !== undefined
      ? filesOfLevel(await findFiles(folder, testFile), level)
      : ["discover", ...await startOf(folder)];
    return {
      files: { "unittest_reporter.py": assetText("project_tests/unittest_reporter.py") },
      preparation: [],
      runs: [{
        argv: [python, `${place.scratch}/unittest_reporter.py`, ...chosen],
        env: { [eventsVariable]: place.events },
      }],
    };
  },
  reader: (project) => reportedEvents(project),
  rerun: ({ name }, project) => ({ argv: [pythons.get(project) ?? "python3", "-m", "unittest", name] }),
  suggestTraces: ({ stack }) => functionsToTrace(stack),
  withoutTests: async ({ folder }) => ({
    language: "python",
    buildSystem: await folder.exists("pyproject.toml") ? "pyproject" : "pip",
    testFiles: (await findFiles(folder, testFile)).length,
    hint:
      "No tests found. unittest takes methods test* of classes of unittest.TestCase in files test*.py: write " +
      "tests/test_first.py with import unittest; class First(unittest.TestCase): def test_adds(self): " +
      "self.assertEqual(1 + 1, 2)",
  }),
});

async function firstUsing(folder: TestProject["folder"]): Promise<string | undefined> {
  for (const path of (await findFiles(folder, testFile)).slice(0, mostRead)) {
    if (/^\s*(?:from |import (?:[\w.]+, *)*)unittest\b/m.test(await folder.read(path) ?? "")) return path;
  }
  return undefined;
}

/** Folders of tests that are no packages are not found from the top. */
async function startOf(folder: TestProject["folder"]): Promise<string[]> {
  for (const name of ["tests", "test"]) {
    const inside = (await findFiles(folder, testFile)).some((path) => path.startsWith(`${name}/`));
    if (inside) return await folder.exists(`${name}/__init__.py`) ? ["-s", name, "-t", "."] : ["-s", name];
  }
  return [];
}
