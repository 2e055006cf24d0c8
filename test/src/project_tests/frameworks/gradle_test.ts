import t from "tap";
import type { ProjectTestRequest } from "../../../../machines/model/project_test.ts";
import gradle from "../../../../src/project_tests/frameworks/gradle.ts";
import { projectFor, readAll, toldIn } from "../../../contracts/test_framework_contract.ts";
import { outcomesOf, testRecorded } from "../recorded_tests.ts";

const place = { scratch: "/s", events: "/s/events" };
const wordsOf = async (
  request: ProjectTestRequest,
  files: Record<string, string> = { "build.gradle": "" },
) => (await gradle.plan(projectFor(request, files), place)).runs[0]!.argv.slice(4);
const begin = ["--no-daemon", "--console=plain", "--init-script", "/s/gradle_listener.gradle"];
const options = [...begin, "-Dorg.gradle.configuration-cache=false"];
const events = "-Dpth.events=/s/events";

/** The project of the recordings, whose sources are known once its tests are planned. */
async function recorded() {
  const sources = ["main/java/shop/Cart", "test/java/shop/CartTest", "test/java/shop/SetupTest"];
  const paths = ["build.gradle", ...sources.map((name) => `core/src/${name}.java`)];
  const project = projectFor({}, Object.fromEntries(paths.map((path) => [path, ""])));
  await gradle.plan(project, place);
  return { folder: project.folder };
}

t.test("is found by its build files, and by a command that is Gradle's", async (t) => {
  for (const path of ["build.gradle", "build.gradle.kts", "settings.gradle"]) {
    t.match(await gradle.detect(projectFor({}, { [path]: "" })), { confidence: 90, reason: path });
  }
  t.match(await gradle.detect(projectFor({ command: "./gradlew check" }, { "build.gradle": "" })), {
    confidence: 90,
  });
  t.equal(await gradle.detect(projectFor({ command: "make test" }, { "build.gradle": "" })), undefined);
  t.equal(await gradle.detect(projectFor()), undefined);
});

t.test("options of a command are kept, its usual tasks are not, and a wrapper goes first", async (t) => {
  t.strictSame(await wordsOf({}), ["gradle", ...options, events, "--continue", "test"]);
  t.strictSame(await wordsOf({ command: "gradle --offline clean test" }), [
    "gradle",
    ...options,
    "--offline",
    events,
    "--continue",
    "test",
  ]);
  t.equal((await wordsOf({}, { "build.gradle": "", gradlew: "" }))[0], "./gradlew");
});

t.test("levels are tasks of that name, else classes", async (t) => {
  const tasks = {
    "build.gradle.kts":
      'val e2eTest by tasks.registering(Test::class)\ntasks.register<Test>("integrationTest")',
  };
  t.equal((await wordsOf({ level: "integration" }, tasks)).at(-1), "integrationTest");
  t.equal((await wordsOf({ level: "e2e" }, tasks)).at(-1), "e2eTest");
  t.equal((await wordsOf({ level: "unit" }, tasks)).at(-1), "test");
  const classes = {
    "build.gradle": "",
    "src/test/java/a/SumIT.java": "",
    "src/test/java/a/SumTest.java": "",
  };
  t.equal((await wordsOf({ level: "integration" }, classes)).at(-3), "-Dpth.tests=*SumIT");
  await t.rejects(wordsOf({ level: "e2e" }, classes), { code: "INVALID_INPUT" });
});

t.test("a test is chosen as Gradle's filters take it, in all tasks that run tests", async (t) => {
  const build = { "build.gradle": "task slowTest(type: Test) {}" };
  t.strictSame((await wordsOf({ test: "demo.SumTest.isOdd(int)[2]" }, build)).slice(-4), [
    "-Dpth.tests=demo.SumTest.isOdd",
    "--continue",
    "test",
    "slowTest",
  ]);
  t.equal((await wordsOf({ test: "SumTest" }))[7], "-Dpth.tests=*SumTest");
  t.equal((await wordsOf({ test: "adds" }))[7], "-Dpth.tests=*.adds");
  t.strictSame(
    gradle.rerun!({ name: "shop.CartTest.adds #2", suite: ":core:test", status: "failed" }, projectFor())
      .argv,
    ["gradle", ":core:test", "--rerun-tasks", "--tests", "shop.CartTest.adds"],
  );
  t.equal(
    gradle.rerun!({ name: "shop.SetupTest.classMethod", status: "failed" }, projectFor()).argv.at(-1),
    "shop.SetupTest",
    "what failed outside of its methods runs again with its class",
  );
});

// Gradle counts 6 tests in one project, of which 3 fail and 2 are skipped, and 2 in the other.
t.test("tests are read as they come, whatever they print", async (t) => {
  testRecorded(t, gradle, "gradle/tests", { passed: 3, failed: 3, skipped: 2 }, {
    project: await recorded(),
  });
});

t.test("a failure suggests the project's functions for a trace", async (t) => {
  const outcome = outcomesOf(gradle, "gradle/tests", await recorded())[":core:test: shop.CartTest.refuses"]!;
  t.strictSame(gradle.suggestTraces!({ name: "a", ...outcome, status: "failed" }), [
    "shop.Cart.total",
    "shop.CartTest.refuses",
  ]);
});

t.test("a test that exits with 0 leaves the run incomplete, though Gradle takes it for a success", (t) => {
  testRecorded(t, gradle, "gradle/left", { passed: 2, failed: 0, skipped: 0 });
});

t.test("a task whose VM has ended, whose counts differ or that has not ended leaves the run incomplete", (t) => {
  const about = { id: ":test 1", task: ":test", className: "A", name: "a" };
  const end = (...lines: Record<string, unknown>[]) =>
    toldIn(readAll(gradle.reader(projectFor()), {
      pieces: [["events", lines.map((line) => `${JSON.stringify(line)}\n`).join("")]],
      exit: { code: 0, signal: null },
    }));
  const one = [
    { type: "plan", id: ":test" },
    { type: "started", ...about },
    { type: "finished", ...about, outcome: { status: "passed" } },
  ];
  const ended = { type: "plan_ended", id: ":test", tests: 1, open: [] as string[] };
  const over = { type: "end" };
  t.strictSame(end(...one, ended, over), ["passed A.a"]);
  t.match(
    end(...one, { ...ended, open: ["", "shop.CrashTest"] }, over)[1],
    /of :test ended before its tests did, in shop/,
  );
  t.match(end(...one, { ...ended, tests: 2 }, over)[1], /Gradle counts 2 tests in :test, and 1 have ended/);
  t.match(end(...one, over)[1], /:test did not end/);
  t.match(end(...one, ended)[1], /before it said that it was done/);
  t.end();
});

t.test("errors of compilers are failures with their places, else what went wrong is the failure", (t) => {
  const read = (stdout: string) =>
    gradle.readPreparation!({ code: 1, stdout, stderr: "" }, projectFor()) as Parameters<typeof toldIn>[0];
  const javac = [
    "/project/src/test/java/shop/BrokenTest.java:1: error: cannot find symbol",
    "package shop; class BrokenTest { int x = nothing; }",
    "                                         ^",
    "  symbol:   variable nothing",
    "  location: class BrokenTest",
    "1 error",
    "",
  ].join("\n");
  t.match(read(javac), [{
    place: { file: "src/test/java/shop/BrokenTest.java", line: 1 },
    message: "cannot find symbol\nsymbol:   variable nothing\nlocation: class BrokenTest",
  }]);
  t.strictSame(
    toldIn(read("e: file:///project/src/main/kotlin/A.kt:3:5 Unresolved reference 'b'.\n")),
    ["not run at src/main/kotlin/A.kt:3: Unresolved reference 'b'."],
  );
  t.strictSame(toldIn(read("* What went wrong:\nTask 'x' not found.\n\n* Try:\n")), [
    "not run: Task 'x' not found.",
  ]);
  t.end();
});

t.test("a project without tests is told how a first one is written", async (t) => {
  t.match(await gradle.withoutTests(projectFor()), { testFiles: 0, hint: /useJUnitPlatform/ });
});
