import t from "tap";
import gtest from "../../../../src/project_tests/frameworks/gtest.ts";
import {
  projectFor,
  readAll,
  recordedRun,
  testFrameworkContract,
  toldIn,
} from "../../../contracts/test_framework_contract.ts";

const place = { scratch: "/scratch", events: "/scratch/events" };
const command = "./build/tests";
const probes = {
  "grep -aqF -e gtest_list_tests -e _ZN7testing8internal -- ./build/tests": {},
  "./build/tests --gtest_list_tests --gtest_color=no": { stdout: "Running main()\nSquare.\n  OfTwo\n" },
  "test -f ./build/tests": {},
  "test -x ./build/tests": {},
};

t.test("tests of all kinds; one that prints the marks of others leaves the run in doubt", (t) => {
  testFrameworkContract(t, {
    framework: gtest,
    run: recordedRun("gtest/tests"),
    expected: [
      "passed Square.OfTwo",
      "failed Square.OfThree at gt.cpp:7: Expected equality of these values:",
      "skipped Square.Skips at gt.cpp:8: not today",
      "passed Prints.Forges",
      "passed Prints.Other",
      "passed Prints.WithoutNewline",
      "passed Prints.Bytes",
      'failed Throws.AnError: C++ exception with description "thrown" thrown in the test body.',
      "failed Threads.Fails at gt.cpp:13: Expected equality of these values:",
      "failed Typed/0.IsLarge at gt.cpp:20: Expected: (sizeof(TypeParam)) > (4u), actual: 4 vs 4",
      "passed Typed/1.IsLarge",
      "failed Setup.Never at gt.cpp:22: no database",
      "passed Numbers/Params.IsEven/0",
      "failed Numbers/Params.IsEven/1 at gt.cpp:15: Expected equality of these values:",
      "broken []: the framework counts 5 passed at the end, and has told 7 one by one",
    ],
  });
  t.end();
});

t.test("a crash names its test, and a test that leaves the process leaves the run open", (t) => {
  const crash = recordedRun("gtest/crash");
  testFrameworkContract(t, {
    framework: gtest,
    run: crash,
    expected: ["passed A.Fine", "broken []: the program ended by SIGSEGV before its tests did"],
  });
  t.match(readAll(gtest.reader(projectFor()), crash).findLast((event) => event.type === "started"), {
    test: { name: "A.Crashes" },
  });
  testFrameworkContract(t, {
    framework: gtest,
    run: recordedRun("gtest/exit"),
    expected: ["passed A.Fine", "broken []: the program ended with exit code 0 before its tests did"],
  });
  t.end();
});

t.test("a failure tells each of its assertions, and counts though its test says before that it passed", (t) => {
  const reader = gtest.reader(projectFor());
  const lines = [
    "[==========] Running 1 test from 1 test suite.",
    "[ RUN      ] A.Lies",
    "[       OK ] A.Lies (0 ms)",
    "/project/a.cpp:3: Failure",
    "Value of: f(2)",
    "/other/b.cpp:4: Failure",
    "Value of: g(3)",
    "[  FAILED  ] A.Lies (5 ms)",
    "[==========] 1 test from 1 test suite ran. (5 ms total)",
    "[  PASSED  ] 0 tests.",
    "[  FAILED  ] 1 test, listed below:",
    "",
  ];
  const events = [...reader.push("stdout", lines.join("\n")), ...reader.end({ code: 1, signal: null })];
  t.strictSame(toldIn(events), ["failed A.Lies at a.cpp:3: Value of: f(2)"]);
  const [outcome] = events.flatMap((event) => event.type === "finished" ? [event.outcome] : []);
  t.match(outcome, { durationMs: 5, message: "Value of: f(2)\n\n/other/b.cpp:4: Value of: g(3)" });
  t.strictSame(gtest.suggestTraces!({ name: "A.Lies", ...outcome!, status: "failed" }), ["f", "g"]);
  t.end();
});

t.test("is found by asking a program that holds it, and by what a project is built with", async (t) => {
  t.match(await gtest.detect(projectFor({ command }, {}, probes)), { confidence: 85 });
  t.equal(await gtest.detect(projectFor({ command })), undefined, "another program is not started");
  t.match(await gtest.detect(projectFor({}, { "CMakeLists.txt": "find_package(GTest REQUIRED)" })), {
    confidence: 60,
    hint: /test binary path via command/,
  });
});

t.test("a test is chosen by name, and levels are refused", async (t) => {
  const planFor = (request: Parameters<typeof projectFor>[0]) =>
    gtest.plan(projectFor({ command, ...request }, {}, probes), place);
  t.equal((await planFor({ test: "Square.OfTwo" })).runs[0]!.argv.at(-1), "--gtest_filter=Square.OfTwo");
  await t.rejects(planFor({ level: "unit" }), { code: "INVALID_INPUT", message: /knows no levels/ });
  t.strictSame(
    gtest.rerun!({ name: "Numbers/Params.IsEven/1", status: "failed" }, projectFor({ command })),
    { argv: ["./build/tests", "--gtest_filter=Numbers/Params.IsEven/1"] },
  );
});

t.test("a project without tests is told how a first one is written", async (t) => {
  t.match(await gtest.withoutTests(projectFor({}, { "tests/a_test.cc": "" })), {
    testFiles: 1,
    hint: /TEST\(/,
  });
});
