import type { ProjectTest, TestLevel } from "../../../machines/model/project_test.ts";
import { assetText } from "../../platform/asset_text.ts";
import { findFiles } from "../count_files.ts";
import { defineFramework, type TestProject } from "../framework.ts";
import { pythonLauncher } from "../python_launcher.ts";
import { eventsVariable, reportedEvents } from "../readers/reported_events.ts";
import { functionsToTrace } from "../stack_frames.ts";
import { filesOfLevel, isLevelName } from "../test_levels.ts";

const testFile = /(?:^|\/)(?:test_[^/]*|[^/]*_test)\.py$/;
const mostRead = 40;

/** Files that may configure pytest, with the sign that they do. */
const configs: readonly [string, RegExp][] = [
  ["pytest.ini", /(?:)/],
  [".pytest.ini", /(?:)/],
  ["pytest.toml", /(?:)/],
  ["pyproject.toml", /^\s*\[tool\.pytest\b/m],
  ["setup.cfg", /^\s*\[tool:pytest\]/m],
  ["tox.ini", /^\s*\[pytest\]/m],
];

/** Python of a project, for reruns. */
const pythons = new WeakMap<TestProject, string>();

export default defineFramework({
  name: "pytest",
  summary:
    "runs pytest with a plugin of its own, with the Python of the project's virtual environment where there is " +
    "one; levels are markers, folders or names of files; works with pytest-xdist",
  language: "python",
  buildSystem: "pip",
  detectedBy: "a configuration of pytest, a `conftest.py`, or tests that are functions",
  needs: (project) => [pythons.get(project) ?? "python3"],
  async detect({ folder }) {
    const config = await configOf(folder);
    if (config !== undefined) return { confidence: 90, reason: config.path };
    for (const path of ["conftest.py", "tests/conftest.py", "test/conftest.py"]) {
      if (await folder.exists(path)) return { confidence: 85, reason: path };
    }
    for (
      const path of ["pyproject.toml", "setup.py", "setup.cfg", "requirements-dev.txt", "requirements.txt"]
    ) {
      if (/(?:^|[\s"'])pytest\b/m.test(await folder.read(path) ?? "")) {
        return { confidence: 80, reason: `${path} names pytest` };
      }
    }
    for (const path of (await findFiles(folder, testFile)).slice(0, mostRead)) {
      const text = await folder.read(path) ?? "";
      if (/^(?:import|from) pytest\b/m.test(text)) {
        return { confidence: 75, reason: `${path} imports pytest` };
      }
      if (/^(?:async )?def test_/m.test(text)) return { confidence: 60, reason: `${path} has tests` };
    }
    return undefined;
  },
  async plan(project, place) {
    const { folder, request: { level, test } } = project;
    const python = await pythonLauncher(folder);
    pythons.set(project, python);
    const chosen = test === undefined
      ? level === undefined ? [] : await argumentsOfLevel(folder, level)
      : /::|\.py$/.test(test)
      ? [test]
      : ["-k", test];
    return {
      files: { "pytest_reporter.py": assetText("project_tests/pytest_reporter.py") },
      preparation: [],
      runs: [{
        argv: [python, `${place.scratch}/pytest_reporter.py`, ...chosen],
        env: { [eventsVariable]: place.events },
      }],
    };
  },
  reader: (project) => reportedEvents(project, onlyNamed(project.request.test)),
  rerun: ({ name }, project) => ({ argv: [pythons.get(project) ?? "python3", "-m", "pytest", name] }),
  suggestTraces: ({ stack }: ProjectTest) => functionsToTrace(stack),
  async withoutTests({ folder }) {
    return {
      language: "python",
      buildSystem: await folder.exists("pyproject.toml") ? "pyproject" : "pip",
      testFiles: (await findFiles(folder, testFile)).length,
      hint:
        "No tests found. pytest takes functions test_* of files test_*.py: write tests/test_first.py with " +
        "def test_adds(): assert 1 + 1 == 2",
    };
  },
});

async function configOf(folder: TestProject["folder"]): Promise<{ path: string; text: string } | undefined> {
  for (const [path, sign] of configs) {
    const text = await folder.read(path);
    if (text !== undefined && sign.test(text)) return { path, text };
  }
  return undefined;
}

/** Markers of that name select; where only others are marked, unit tests are those without. Else files do. */
async function argumentsOfLevel(folder: TestProject["folder"], level: TestLevel): Promise<string[]> {
  const text = (await configOf(folder))?.text ?? "";
  const listed = /^\s*markers\s*=\s*(\[[^\]]*\]|.*(?:\n[ \t]+.*)*)/m.exec(text)?.[1] ?? "";
  const markers = [...listed.matchAll(/(?:^|["'\n]|\s{2,})\s*(\w+)\s*(?:\([^)]*\))?\s*(?=[:"'\n]|$)/g)].map((
    [, name],
  ) => name!);
  const own = markers.find((name) => isLevelName(name, level));
  if (own !== undefined) return ["-m", own];
  const others = markers.filter((name) =>
    (["integration", "e2e"] as const).some((other) => isLevelName(name, other))
  );
  if (level === "unit" && others.length > 0) return ["-m", others.map((name) => `not ${name}`).join(" and ")];
  return filesOfLevel(await findFiles(folder, testFile), level);
}

/** Words in names match more than the test that was meant. */
function onlyNamed(asked: string | undefined) {
  if (asked === undefined || /::|\.py$/.test(asked)) return {};
  return { drops: (name: string) => name.replace(/\[.*$/s, "").split("::").at(-1) !== asked };
}
