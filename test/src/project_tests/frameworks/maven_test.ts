import { readFileSync } from "node:fs";
import t from "tap";
import type { ProjectTestRequest } from "../../../../machines/model/project_test.ts";
import maven from "../../../../src/project_tests/frameworks/maven.ts";
import { projectFor, readAll, recordedRun, toldIn } from "../../../contracts/test_framework_contract.ts";
import { outcomesOf, testRecorded } from "../recorded_tests.ts";

const place = { scratch: "/s", events: "/s/events" };
const planOf = async (request: ProjectTestRequest, files: Record<string, string> = { "pom.xml": "" }) => {
  const { preparation, runs } = await maven.plan(projectFor(request, files), place);
  return { build: preparation[0]!.argv.join(" "), words: runs[0]!.argv.slice(3) };
};
const always = ["mvn", "-B", "-Dstyle.color=never", "--fail-at-end"];
const lenient = ["-Dsurefire.failIfNoSpecifiedTests=false", "-DfailIfNoTests=false", "test"];

/** The project of the recordings, whose sources are known once its tests are planned. */
async function recorded(...sources: string[]) {
  const project = projectFor({}, Object.fromEntries(["pom.xml", ...sources].map((path) => [path, ""])));
  await maven.plan(project, place);
  return { folder: project.folder };
}

t.test("is found by its POM, and by a command that is Maven's", async (t) => {
  t.match(await maven.detect(projectFor({}, { "pom.xml": "" })), { confidence: 90, reason: "pom.xml" });
  t.match(await maven.detect(projectFor({ command: "./mvnw -Pci verify" }, { "pom.xml": "" })), {
    confidence: 90,
  });
  t.equal(await maven.detect(projectFor({ command: "./run" }, { "pom.xml": "" })), undefined);
  t.equal(await maven.detect(projectFor()), undefined);
});

t.test("options of a command are kept, its phases are not, and a wrapper goes first", async (t) => {
  t.strictSame((await planOf({})).words, [...always, "test"]);
  const { build, words } = await planOf({ command: "mvn -o -P ci clean verify" });
  t.equal(build, "mvn -B -Dstyle.color=never -o -P ci test-compile");
  t.strictSame(words, ["mvn", "-B", "-Dstyle.color=never", "-o", "-P", "ci", "--fail-at-end", "test"]);
  t.equal((await planOf({}, { "pom.xml": "", mvnw: "" })).words[0], "./mvnw");
});

t.test("a test is chosen as Surefire takes it, and left away where it is another of its method", async (t) => {
  for (
    const [test, pattern] of [
      ["demo.SumTest#isOdd(int)[2]", "demo.SumTest#isOdd"],
      ["demo.SumTest$Inner#works", "demo.SumTest$Inner#works"],
      ["SumTest", "SumTest"],
      ["SumTest.adds", "SumTest#adds"],
      ["adds", "*#adds"],
    ] as const
  ) t.strictSame((await planOf({ test })).words, [...always, `-Dtest=${pattern}`, ...lenient]);
  const names = (test: string) => Object.keys(outcomesOf(maven, "maven/platform", { request: { test } }));
  t.strictSame(names("demo.SumTest#isOdd[2]"), ["demo.SumTest#isOdd[2]"]);
  t.strictSame(
    maven.rerun!({ name: "shop.CartTest#adds #2", suite: "core", status: "failed" }, projectFor()).argv,
    ["mvn", "-pl", "core", "-am", lenient[0], "-Dtest=shop.CartTest#adds", "test"],
  );
});

t.test("levels are words in names of classes, and folders", async (t) => {
  const files = {
    "pom.xml": "",
    "src/test/java/a/SumTest.java": "",
    "src/test/java/a/SumIT.java": "",
    "src/test/java/a/ShopIntegrationTest.java": "",
    "src/test/java/a/e2e/OrderTest.java": "",
  };
  const level = async (level: ProjectTestRequest["level"]) =>
    (await planOf({ level: level! }, files)).words[4];
  t.equal(await level("unit"), "-Dtest=SumTest");
  t.equal(await level("integration"), "-Dtest=ShopIntegrationTest,SumIT");
  t.equal(await level("e2e"), "-Dtest=OrderTest");
  t.strictSame((await planOf({ level: "unit" })).words, [...always, "test"], "Surefire's are unit tests");
  await t.rejects(planOf({ level: "e2e" }), { code: "INVALID_INPUT" });
});

// Surefire counts 22 by class: 4 failures, 4 errors, 4 skipped.
t.test("tests of JUnit's platform are read as they come, whatever they print", async (t) => {
  const tests = ["SetupTest", "OddTest", "ShapesTest", "SumTest"].map((name) =>
    `src/test/java/demo/${name}.java`
  );
  const project = await recorded("src/main/java/demo/Sum.java", ...tests);
  testRecorded(t, maven, "maven/platform", { passed: 10, failed: 8, skipped: 4 }, { project });
});

t.test("a failure tells its causes, the project's frames and its output", async (t) => {
  const project = await recorded("src/main/java/demo/Sum.java", "src/test/java/demo/ShapesTest.java");
  const outcome = outcomesOf(maven, "maven/platform", project)["demo.ShapesTest#cause"]!;
  t.equal(
    outcome.message,
    "java.lang.IllegalStateException: wrapped\nCaused by: java.lang.IllegalArgumentException: negative: -1",
  );
  t.strictSame(maven.suggestTraces!({ name: "a", ...outcome, status: "failed" }), [
    "demo.ShapesTest.cause",
    "demo.Sum.add",
  ]);
  const events = readAll(maven.reader(projectFor()), recordedRun("maven/platform"));
  t.match(
    events.filter((event) => event.type === "output" && event.test?.name === "demo.SumTest#addsWrongly"),
    [
      { text: "about to add\n" },
    ],
  );
});

t.test("a test that exits with 0 ends its VM, which names it and leaves the run incomplete", (t) => {
  const events = readAll(maven.reader(projectFor()), recordedRun("maven/left"));
  t.match(events.filter(({ type }) => type === "started").at(-1), {
    test: { name: "demo.CrashTest#leaves" },
  });
  testRecorded(t, maven, "maven/left", { passed: 2, failed: 0, skipped: 0 });
});

// Surefire counts 6 tests in one module, 1 in the other: 1 failure, 2 errors, 2 skipped.
t.test("tests of JUnit 4 are read from Surefire's reports", async (t) => {
  const tests = ["CartTest", "SetupTest"].map((name) => `core/src/test/java/shop/${name}.java`);
  const project = await recorded("core/src/main/java/shop/Cart.java", ...tests);
  testRecorded(t, maven, "maven/reports", { passed: 2, failed: 3, skipped: 2 }, { project });
});

t.test("a report that is cut off, and tests that Surefire counts and were not told, leave the run incomplete", (t) => {
  const base = btoa("/project/core");
  const report = (xml: string) =>
    [{ type: "report", base, data: btoa(xml) }, { type: "report_ended", base }, { type: "end" }]
      .map((line) => `${JSON.stringify(line)}\n`).join("");
  const end = (xml: string, printed = "") =>
    toldIn(readAll(maven.reader(projectFor()), {
      pieces: [["stdout", printed], ["events", report(xml)]],
      exit: { code: 0, signal: null },
    }));
  const one = '<testsuite tests="1"><testcase classname="A" name="a"/></testsuite>';
  t.strictSame(end(one), ["passed [core] A#a"]);
  t.match(end(one.replace("</testsuite>", "")), [
    "passed [core] A#a",
    /report of Surefire is not whole: it is cut/,
  ]);
  t.match(end(one.replace('"1"', '"2"')), ["passed [core] A#a", /it counts 2 tests, and tells 1/]);
  const results = "[INFO] Results:\n[INFO] \n[INFO] Tests run: 2, Failures: 0, Errors: 0, Skipped: 0\n";
  t.match(end(one, results), ["passed [core] A#a", /Surefire counts 2 tests, and 1 were told/, /broken/]);
  t.end();
});

t.test("a class whose VM ended is named where nothing else tells its tests", (t) => {
  const printed = "[ERROR] Crashed tests:\n[ERROR] shop.CartTest\n[ERROR] -> [Help 1]\n[ERROR] shop.Other\n";
  const told = (code: number) =>
    toldIn(readAll(maven.reader(projectFor()), {
      pieces: [["stdout", printed], ["events", '{"type":"end"}\n']],
      exit: { code, signal: null },
    }));
  t.strictSame(told(1), ["not run: The Java VM ended while tests of shop.CartTest ran"]);
  t.strictSame(told(0), []);
  t.end();
});

t.test("errors of the compiler are failures with their places", (t) => {
  const printed = readFileSync(
    new URL("../../../fixtures/project_tests/maven/compile_error.txt", import.meta.url),
    "utf8",
  );
  const read = (stdout: string) =>
    maven.readPreparation!({ code: 1, stdout, stderr: "" }, projectFor()) as Parameters<typeof toldIn>[0];
  t.match(read(printed), [
    {
      place: { file: "src/test/java/demo/BrokenTest.java", line: 3, column: 13 },
      message: "cannot find symbol\nsymbol:   variable nothing\nlocation: class demo.BrokenTest",
    },
    { place: { line: 4 }, message: /^incompatible types/ },
  ]);
  t.strictSame(toldIn(read("[ERROR] The goal you specified requires a project. -> [Help 1]\n[ERROR] \n")), [
    "not run: The goal you specified requires a project.",
  ]);
  t.end();
});

t.test("a project without tests is told how a first one is written", async (t) => {
  t.match(await maven.withoutTests(projectFor({}, { "src/test/java/a/SumTest.java": "" })), {
    testFiles: 1,
    hint: /junit-jupiter/,
  });
});
