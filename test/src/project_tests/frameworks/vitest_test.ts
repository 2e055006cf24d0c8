import t from "tap";
import vitest from "../../../../src/project_tests/frameworks/vitest.ts";
import { projectFor } from "../../../contracts/test_framework_contract.ts";
import { outcomesOf, testRecorded } from "../recorded_tests.ts";

const place = { scratch: "/s", events: "/s/events" };
const manifest = (test: string) => ({ "package.json": JSON.stringify({ scripts: { test } }) });
const lineOf = async (files: Record<string, string>, request = {}, installed = "2.1.0") => {
  const stdout = `{"version": "${installed}"}`;
  const project = {
    ...projectFor(request, files),
    probe: () => Promise.resolve({ code: 0, stdout, stderr: "" }),
  };
  return (await vitest.plan(project, place)).runs[0]!.argv[2]!.split("\n")[1];
};

t.test("is found by a script, its configuration or the dependency", async (t) => {
  const found = async (files: Record<string, string>) =>
    (await vitest.detect(projectFor({}, files)))?.confidence;
  t.equal(await found(manifest("vitest")), 95);
  t.equal(await found({ "vitest.config.ts": "" }), 90);
  t.equal(await found({ "package.json": JSON.stringify({ devDependencies: { "vitest": "1" } }) }), 80);
  t.equal(await found(manifest("echo vitest")), undefined);
});

t.test("a script keeps its arguments, and runs once", async (t) => {
  t.equal(
    await lineOf(manifest("A=1 vitest --coverage src")),
    "A=1 vitest --coverage src --run --reporter=default --reporter=/s/vitest_reporter.mjs",
  );
  t.equal(
    await lineOf(manifest("vitest --reporter=dot"), { test: "a > it's (b) #2" }, "3.1.0"),
    "vitest --reporter=dot --run --includeTaskLocation --reporter=/s/vitest_reporter.mjs " +
      "-t '^a(?: > | )it'\\''s \\(b\\)$'",
  );
  const levels = { ...manifest("vitest run"), "test/unit/a.test.ts": "", "test/e2e/b.test.ts": "" };
  t.match(await lineOf(levels, { level: "e2e" }), /^vitest run --run .* test\/e2e\/b\.test\.ts$/);
  await t.rejects(lineOf(levels, { level: "integration" }), { code: "INVALID_INPUT" });
});

// Vitest counts 3 failed, 4 passed, 2 skipped and 1 to do.
for (const version of ["tests", "version2"]) {
  t.test(`a run is read as it is: ${version}`, (t) => {
    testRecorded(t, vitest, `vitest/${version}`, { passed: 4, failed: 3, skipped: 3 });
  });
}

t.test("functions of the project's frames are worth a trace", (t) => {
  const outcome = outcomesOf(vitest, "vitest/tests")["test/a.test.js: fails"]!;
  t.strictSame(vitest.suggestTraces!({ name: "fails", ...outcome }), ["inner"]);
  t.end();
});
