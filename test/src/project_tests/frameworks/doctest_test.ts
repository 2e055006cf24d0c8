import t from "tap";
import doctest from "../../../../src/project_tests/frameworks/doctest.ts";
import {
  projectFor,
  readAll,
  recordedRun,
  testFrameworkContract,
} from "../../../contracts/test_framework_contract.ts";

const place = { scratch: "/scratch", events: "/scratch/events" };
const command = "./build/tests";
const probes = {
  "grep -aqF -e list-test-cases -- ./build/tests": {},
  "./build/tests --list-test-cases --no-colors=true": {
    stdout: "[doctest] listing all test case names\n====\nadds\n",
  },
  "test -f ./build/tests": {},
  "test -x ./build/tests": {},
};

t.test("tests, warnings, tests that may fail and two of one name", (t) => {
  testFrameworkContract(t, {
    framework: doctest,
    run: recordedRun("doctest/tests"),
    expected: [
      "failed squares, small [ones] at dt.cpp:10: CHECK( square(3) == 10 )",
      "passed prints",
      "failed throws at dt.cpp:15: exception: thrown & <here>",
      "passed asserts nothing",
      "passed may fail",
      "passed should fail",
      "skipped skipped",
      "passed warns",
      "failed message at dt.cpp:22: said so",
      "failed warns #2 at dt.cpp:23: CHECK_THROWS_AS( square(1) )",
    ],
  });
  testFrameworkContract(t, {
    framework: doctest,
    run: recordedRun("doctest/one"),
    expected: ["passed may fail"],
  });
  t.end();
});

t.test("a crash names its test, and a test that leaves the process leaves the run open", (t) => {
  testFrameworkContract(t, {
    framework: doctest,
    run: recordedRun("doctest/crash"),
    expected: [
      "passed fine",
      "failed crashes at dtcrash.cpp:4: fatal: SIGSEGV - Segmentation violation signal",
      "broken []: a test crashed, and those after it were not run: SIGSEGV - Segmentation violation signal",
    ],
  });
  testFrameworkContract(t, {
    framework: doctest,
    run: recordedRun("doctest/exit"),
    expected: ["passed fine", "broken []: the program ended with exit code 0 before its tests did"],
  });
  t.end();
});

t.test("a failure tells expression, expansion, subcase and messages", (t) => {
  const events = readAll(doctest.reader(projectFor()), recordedRun("doctest/tests"));
  t.match(events.find((event) => event.type === "finished"), {
    outcome: {
      message:
        "CHECK( square(3) == 10 )\nin section: of three\nwith expansion: 9 == 10\ninfo: the third\n\n" +
        "dt.cpp:10: REQUIRE( square(3) == 8 )\nin section: of three\nwith expansion: 9 == 8\ninfo: the third",
    },
  });
  t.end();
});

t.test("is found by asking a program that holds it, and by what a project is built with", async (t) => {
  t.match(await doctest.detect(projectFor({ command }, {}, probes)), { confidence: 85 });
  t.equal(await doctest.detect(projectFor({ command })), undefined, "another program is not started");
  t.match(await doctest.detect(projectFor({}, { "tests/CMakeLists.txt": "find_package(doctest)" })), {
    confidence: 60,
    hint: /test binary path via command/,
  });
});

t.test("a level is a test suite, and names are escaped", async (t) => {
  const argvOf = async (request: Parameters<typeof projectFor>[0]) =>
    (await doctest.plan(projectFor({ command, ...request }, {}, probes), place)).runs[0]!.argv.slice(4);
  t.strictSame(await argvOf({}), []);
  t.strictSame(await argvOf({ level: "unit" }), ["--test-suite=unit*", "--no-skipped-summary=true"]);
  t.strictSame(await argvOf({ test: "a, b" }), ["--test-case=a\\, b", "--no-skipped-summary=true"]);
  await t.rejects(argvOf({ level: "unit", test: "a" }), { code: "INVALID_INPUT" });
  t.strictSame(
    doctest.rerun!({ name: "a, b #2", status: "failed" }, projectFor({ command })),
    { argv: ["./build/tests", "--test-case=a\\, b"] },
  );
});

t.test("a project without tests is told how a first one is written", async (t) => {
  t.match(await doctest.withoutTests(projectFor({}, { "src/a.cpp": "" })), {
    testFiles: 0,
    hint: /TEST_CASE/,
  });
});
