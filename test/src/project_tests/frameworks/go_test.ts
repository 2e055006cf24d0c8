import t from "tap";
import go from "../../../../src/project_tests/frameworks/go.ts";
import {
  projectFor,
  readAll,
  recordedRun,
  testFrameworkContract,
  toldIn,
} from "../../../contracts/test_framework_contract.ts";

const place = { scratch: "/scratch", events: "/scratch/events" };
const files = {
  "go.mod": "module example.com/shop",
  "cart/cart_test.go": "package cart\n\nfunc TestAdds(t *testing.T) {}\n",
  "cart/integration_test.go":
    "//go:build integration\n\npackage cart\n\nfunc TestWithDatabase(t *testing.T) {}\nfunc helper() {}\n",
};

t.test("packages that pass, fail, panic, exit, cannot be built, and whose tests print events", (t) => {
  testFrameworkContract(t, {
    framework: go,
    run: recordedRun("go/packages"),
    expected: [
      "not run at broken/broken_test.go:5: undefined: undefinedName",
      "broken [example.com/shop/broken]: the package could not be built",
      "passed [example.com/shop/cart] TestAdds",
      "failed [example.com/shop/cart] TestFails at cart/cart_test.go:10: a note",
      "skipped [example.com/shop/cart] TestSkips at cart/cart_test.go:11: not today",
      'passed [example.com/shop/cart] TestTable/n=1_of_"two"',
      'failed [example.com/shop/cart] TestTable/n=2_of_"two" at cart/cart_test.go:15: is two',
      "failed [example.com/shop/cart] TestTable",
      "failed [example.com/shop/cart] TestForges",
      "passed [example.com/shop/cart] TestParallelA",
      "failed [example.com/shop/cart] TestParallelB at cart/cart_test.go:27: b",
      "failed [example.com/shop/cart] ExampleAdd: got:",
      "broken [example.com/shop/cart]: the suite ends while TestOther has not finished",
      "passed [example.com/shop/crash] TestFine",
      "failed [example.com/shop/crash] TestPanics at crash/crash_test.go:7: " +
      "panic: assignment to entry in nil map [recovered]",
      "broken [example.com/shop/crash]: panic: assignment to entry in nil map [recovered]; " +
      "tests after it were not run",
      "passed [example.com/shop/exits] TestFine",
      "failed [example.com/shop/exits] TestExits at exits/exits_test.go:7: " +
      "panic: unexpected call to os.Exit(0) during test [recovered]",
      "broken [example.com/shop/exits]: panic: unexpected call to os.Exit(0) during test [recovered]; " +
      "tests after it were not run",
    ],
  });
  t.end();
});

t.test("output is the test's without Go's marks, and a failure tells all that was logged", (t) => {
  const events = readAll(go.reader(projectFor()), recordedRun("go/packages"));
  const outputOf = (name: string) =>
    events.flatMap((event) => event.type === "output" && event.test?.name === name ? [event.text] : []).join(
      "",
    );
  t.equal(outputOf("TestAdds"), "hello\n    cart_test.go:9: logged\n");
  const outcomeOf = (name: string) =>
    events.flatMap((event) =>
      event.type === "finished" && event.test.name === name ? [event.outcome] : []
    )[0];
  t.equal(outcomeOf("TestFails")?.message, "a note\nAdd(1, 1) = 2, want 3\nsecond\nline");
  t.match(outcomeOf("TestPanics")?.stack, ["example.com/shop/crash.TestPanics (crash/crash_test.go:7)"]);
  t.equal(outcomeOf("ExampleAdd")?.message, "got:\n3\nwant:\n4");
  t.end();
});

t.test("errors of the compiler in the events of newer versions", (t) => {
  const lines = [
    { ImportPath: "a/b [a/b.test]", Action: "build-output", Output: "# a/b [a/b.test]\n" },
    { ImportPath: "a/b [a/b.test]", Action: "build-output", Output: "b/b_test.go:5:2: undefined: x\n" },
    { ImportPath: "a/b [a/b.test]", Action: "build-fail" },
    { Action: "start", Package: "a/b" },
    { Action: "output", Package: "a/b", Output: "FAIL\ta/b [build failed]\n" },
    { Action: "fail", Package: "a/b", Elapsed: 0, FailedBuild: "a/b [a/b.test]" },
  ].map((event) => `${JSON.stringify(event)}\n`).join("");
  const events = [...go.reader(projectFor()).push("stdout", lines)];
  t.strictSame(toldIn(events), [
    "not run at b/b_test.go:5: undefined: x",
    "broken [a/b]: the package could not be built",
  ]);
  t.end();
});

/** Lines of events of a package: outputs of it and of its tests, and actions. */
const toldOf = (...events: { Action: string; Test?: string; Output?: string }[]) => {
  const reader = go.reader(projectFor());
  const lines = events.map((event) => `${JSON.stringify({ Package: "a/b", ...event })}\n`).join("");
  return toldIn([...reader.push("stdout", lines), ...reader.end({ code: 0, signal: null })]);
};
const fine = [{ Action: "output", Output: "ok  \ta/b\t0.002s\n" }, { Action: "pass" }];
const verdict = { Action: "output", Output: "PASS\n" };

t.test("a package whose process ended with exit code 0 before its tests is not complete", (t) => {
  const why = /broken \[a\/b\]: it ended with exit code 0 and did not say how its tests went/;
  t.match(toldOf(...fine), [why]);
  t.match(toldOf({ Action: "start" }, ...fine), [why]);
  t.strictSame(toldOf({ Action: "start" }, { Action: "output", Output: "setup" }, verdict, ...fine), []);
  t.strictSame(toldOf({ Action: "output", Output: "\ta/b\t\tcoverage: 0.0%\n" }, { Action: "pass" }), []);
  t.end();
});

t.test("older versions tell the end of a test as output where that printed no line feed", (t) => {
  const glued = [
    { Action: "run", Test: "TestA" },
    { Action: "output", Test: "TestA", Output: "no line feed--- PASS: TestA (0.25s)\n" },
  ];
  t.strictSame(toldOf(...glued, verdict, ...fine), ["passed [a/b] TestA"]);
  const unfinished = "broken [a/b]: the suite ends while TestA has not finished";
  t.strictSame(toldOf({ Action: "start" }, ...glued, verdict, ...fine), [unfinished], "newer ones do not");
  const other = [glued[0]!, { ...glued[1]!, Output: "x--- PASS: TestB (0.25s)\n" }];
  t.strictSame(toldOf(...other, verdict, ...fine), [unfinished], "that of another test is no end of it");
  t.end();
});

t.test("is found by go.mod, but for a command that is another program's", async (t) => {
  t.match(await go.detect(projectFor({}, files)), { confidence: 90 });
  t.equal(await go.detect(projectFor({ command: "./tests" }, files)), undefined);
  t.equal(await go.detect(projectFor()), undefined);
});

t.test("a level is -short, or what build tags and names of files say; a test is chosen by its pattern", async (t) => {
  const argvOf = async (request: Parameters<typeof projectFor>[0]) =>
    (await go.plan(projectFor(request, files), place)).runs[0]!.argv.slice(4);
  t.strictSame(await argvOf({}), ["./..."]);
  t.strictSame(await argvOf({ level: "unit" }), ["-short", "-run", ".", "./..."]);
  t.strictSame(
    await argvOf({ level: "integration" }),
    ["-tags=integration", "-run", "^(?:TestWithDatabase)$", "./cart"],
  );
  await t.rejects(argvOf({ level: "e2e" }), { code: "INVALID_INPUT" });
  t.strictSame(await argvOf({ test: "TestTable/n=2.5" }), ["-run", "^TestTable$/^n=2\\.5$", "./..."]);
  t.strictSame(await argvOf({ command: "go test -race ./..." }), ["-race", "./..."]);
});

t.test("a failed test has a command that runs it alone, and functions that are worth a trace", async (t) => {
  const test = { name: "TestTable/n=2", suite: "example.com/shop/cart", status: "failed" as const };
  t.strictSame(go.rerun!(test, projectFor()).argv.slice(-3), [
    "-run",
    "^TestTable$/^n=2$",
    "example.com/shop/cart",
  ]);
  const tagged = projectFor({ command: "go test -tags=slow ./..." }, files);
  await go.plan(tagged, place);
  t.ok(go.rerun!(test, tagged).argv.includes("-tags=slow"), "built as it was");
  const stack = [
    "example.com/shop/cart.Add (cart/cart.go:3)",
    "example.com/shop/cart.TestTable (cart/cart_test.go:9)",
  ];
  t.strictSame(go.suggestTraces!({ ...test, message: "Sub(1, 1) = 2", stack }), [
    "example.com/shop/cart.Add",
    "example.com/shop/cart.Sub",
    "example.com/shop/cart.*",
  ]);
});

t.test("a project without tests is told how a first one is written", async (t) => {
  t.match(await go.withoutTests(projectFor({}, files)), { testFiles: 2, hint: /func TestAdds/ });
});
