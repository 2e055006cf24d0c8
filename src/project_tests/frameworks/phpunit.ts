import { findFiles } from "../count_files.ts";
import { defineFramework, type EventReader, type TestProject } from "../framework.ts";
import { reportedEvents } from "../readers/reported_events.ts";
import { teamcityLines } from "../readers/teamcity_lines.ts";
import { isLevelName, noSuchLevel } from "../test_levels.ts";

const testFile = /Test\.php$/;
const configs = ["phpunit.xml", "phpunit.xml.dist", "phpunit.dist.xml"];

/** Program of a project, for reruns. */
const programs = new WeakMap<TestProject, string>();

export default defineFramework({
  name: "phpunit",
  summary:
    "runs PHPUnit and reads its TeamCity log as it grows; levels are test suites of the configuration; a risky " +
    "test counts as skipped",
  language: "php",
  buildSystem: "composer",
  detectedBy: "`phpunit.xml`, or the dependency `phpunit/phpunit`",
  needs: () => ["php"],
  async detect({ folder }) {
    for (const path of configs) if (await folder.exists(path)) return { confidence: 90, reason: path };
    const named = /"phpunit\/phpunit"/.test(await folder.read("composer.json") ?? "");
    return named ? { confidence: 80, reason: "composer.json names phpunit/phpunit" } : undefined;
  },
  async plan(project, place) {
    const { folder, request: { level, test } } = project;
    const program = await folder.exists("vendor/bin/phpunit") ? "vendor/bin/phpunit" : "phpunit";
    programs.set(project, program);
    const text = (await Promise.all(configs.map((path) =>
      folder.read(path)
    ))).find((one) => one !== undefined) ?? "";
    const suites = [...text.matchAll(/<testsuite\s[^>]*\bname\s*=\s*"([^"]+)"/g)].map(([, name]) => name!);
    const suite = level === undefined ? undefined : suites.find((name) => isLevelName(name, level));
    if (level !== undefined && suite === undefined) {
      throw noSuchLevel(level, (await findFiles(folder, testFile)).length);
    }
    const chosen = [
      ...(suite === undefined ? [] : ["--testsuite", suite]),
      ...(test === undefined ? [] : ["--filter", filterOf(test)]),
    ];
    return {
      files: {},
      preparation: [],
      runs: [{ argv: [program, "--log-teamcity", place.events, ...chosen] }],
    };
  },
  reader: teamcityReader,
  rerun: ({ name, suite }, project) => ({
    argv: [
      programs.get(project) ?? "phpunit",
      "--filter",
      filterOf(name),
      ...(suite === undefined ? [] : [suite]),
    ],
  }),
  withoutTests: async ({ folder }) => ({
    language: "php",
    buildSystem: "composer",
    testFiles: (await findFiles(folder, testFile)).length,
    hint:
      "No tests found. PHPUnit takes methods test* of classes in files *Test.php: write tests/FirstTest.php with " +
      "class FirstTest extends PHPUnit\\Framework\\TestCase { function testAdds() { $this->assertSame(2, 1 + 1); } }",
  }),
});

const filterOf = (name: string) => `/^${name.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&")}$/`;

function teamcityReader(project: TestProject): EventReader {
  const inner = reportedEvents(project);
  const linesOf = teamcityLines();
  return {
    push: (stream, text) =>
      stream === "events"
        ? text.split("\n").flatMap(linesOf).flatMap((line) => inner.push("events", JSON.stringify(line)))
        : inner.push(stream, text),
    end: (exit) => inner.end(exit),
  };
}
