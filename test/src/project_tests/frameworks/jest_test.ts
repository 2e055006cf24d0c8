import t from "tap";
import jest from "../../../../src/project_tests/frameworks/jest.ts";
import { projectFor } from "../../../contracts/test_framework_contract.ts";
import { outcomesOf, testRecorded } from "../recorded_tests.ts";

const place = { scratch: "/s", events: "/s/events" };
const manifest = (test: string) => ({ "package.json": JSON.stringify({ scripts: { test } }) });
const lineOf = async (files: Record<string, string>, request = {}) =>
  (await jest.plan(projectFor(request, files), place)).runs[0]!.argv[2]!.split("\n")[1];

t.test("is found by a script, its configuration or the dependency", async (t) => {
  const found = async (files: Record<string, string>) =>
    (await jest.detect(projectFor({}, files)))?.confidence;
  t.equal(await found(manifest("jest")), 95);
  t.equal(await found({ "jest.config.js": "" }), 90);
  t.equal(await found({ "package.json": JSON.stringify({ devDependencies: { "jest": "1" } }) }), 80);
  t.equal(await found(manifest("echo jest")), undefined);
});

t.test("a script keeps its arguments, and the configuration its reporters", async (t) => {
  t.equal(
    await lineOf(manifest("node --experimental-vm-modules node_modules/jest/bin/jest.js --ci")),
    "node --experimental-vm-modules node_modules/jest/bin/jest.js --ci --reporters=default " +
      "--reporters=/s/jest_reporter.cjs --testLocationInResults",
  );
  const files = { ...manifest("jest"), "jest.config.js": "module.exports = { reporters: [] }" };
  const project = projectFor({}, files);
  project.probe = () =>
    Promise.resolve({
      code: 0,
      stdout: JSON.stringify({
        globalConfig: { reporters: [["default", {}], ["/project/own.js", { a: 1 }]] },
      }),
      stderr: "",
    });
  const { runs } = await jest.plan(project, place);
  t.match(
    runs[0]!.argv[2],
    /jest --reporters=default --reporters=\/project\/own\.js --reporters=\/s\/jest_reporter\.cjs/,
  );
  t.match(await lineOf(manifest("jest"), { test: "a > b" }), /'--testNamePattern=\^a\(\?: > \| \)b\$'/);
});

// Jest counts 3 failed, 4 passed, 1 skipped, 1 to do, and 2 suites that failed without tests.
for (const run of ["tests", "left"]) {
  t.test(`a run is read as it is: ${run}`, (t) => {
    testRecorded(t, jest, `jest/${run}`, { passed: 4, failed: 3, skipped: 2 });
  });
}

t.test("matchers are not worth a trace", (t) => {
  const outcome = outcomesOf(jest, "jest/tests")["test/a.test.js: fails"]!;
  t.strictSame(
    jest.suggestTraces!({ name: "fails", ...outcome }).filter((name) => name.startsWith("to")),
    [],
  );
  t.end();
});
