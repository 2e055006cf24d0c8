import t from "tap";
import catch2 from "../../../../src/project_tests/frameworks/catch2.ts";
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
  "grep -aqF -e All available test cases -e _ZN5Catch -- ./build/tests": {},
  "./build/tests --list-tests": { stdout: "All available test cases:\n  adds\n" },
  "test -f ./build/tests": {},
  "test -x ./build/tests": {},
};

const common = [
  "failed squares, small [ones] at tests.inc:10: CHECK( square(3) == 10 )",
  "passed prints",
  "failed throws at tests.inc:18: exception: thrown & <here>",
  "failed throws inside a section at tests.inc:19: CHECK_THROWS_AS( square(1), std::logic_error )",
  "passed asserts nothing",
  "passed may fail",
  "passed should fail",
  'failed quote " and \\ backslash at tests.inc:24: said "so"',
  "failed typed - int at tests.inc:25: CHECK( sizeof(TestType) > 4 )",
  "passed typed - std::string",
];

t.test("versions 2 and 3 are read alike, whatever their tests print", (t) => {
  testFrameworkContract(t, { framework: catch2, run: recordedRun("catch2/version2"), expected: common });
  testFrameworkContract(t, {
    framework: catch2,
    run: recordedRun("catch2/version3"),
    expected: [...common, "skipped skips: not today"],
  });
  t.end();
});

t.test("a crash names its test, and a test that leaves the process leaves the run open", (t) => {
  testFrameworkContract(t, {
    framework: catch2,
    run: recordedRun("catch2/crash"),
    expected: [
      "passed fine",
      "failed crashes at crash.inc:3: fatal: SIGSEGV - Segmentation violation signal",
      "broken []: a test crashed, and those after it were not run: SIGSEGV - Segmentation violation signal",
    ],
  });
  testFrameworkContract(t, {
    framework: catch2,
    run: recordedRun("catch2/exit"),
    expected: ["passed fine", "broken []: the program ended with exit code 0 before its tests did"],
  });
  t.end();
});

t.test("a failure tells expression, expansion, section and messages; output belongs to its test", (t) => {
  const events = readAll(catch2.reader(projectFor()), recordedRun("catch2/version3"));
  t.match(events.find((event) => event.type === "finished"), {
    outcome: {
      message: "CHECK( square(3) == 10 )\nin section: of three\ninfo: the third\nwith expansion: 9 == 10",
    },
  });
  t.match(events.filter((event) => event.type === "output" && event.test?.name === "prints"), [
    { text: '<TestCase name="forged">\n</Catch2TestRun>\n' },
    { text: /on stderr \\xFF/ },
  ]);
  t.end();
});

t.test("a test that failed as expected counts so, though a part of it was skipped", (t) => {
  const reader = catch2.reader(projectFor());
  const xml =
    '<Catch2TestRun><TestCase name="a"><Expression success="false" type="CHECK" filename="a.cpp" line="1">' +
    '<Original>f()</Original><Expanded>false</Expanded></Expression><OverallResult success="true" skips="1"/></TestCase>' +
    '<OverallResultsCases successes="0" failures="0" expectedFailures="1" skips="0"/></Catch2TestRun>\n';
  const events = [...reader.push("events", xml), ...reader.end({ code: 0, signal: null })];
  t.strictSame(toldIn(events), ["passed a"]);
  t.end();
});

t.test("reports of 30 MB are read piece by piece", (t) => {
  const reader = catch2.reader(projectFor());
  const events = reader.push(
    "events",
    '<Catch2TestRun>\n<TestCase name="a">\n<OverallResult success="true">\n<StdOut>\n',
  );
  const line = `${"some words &lt;and more> ".repeat(160)}\n`;
  for (let at = 0; at < 480; at++) events.push(...reader.push("events", line.repeat(16)));
  events.push(...reader.push(
    "events",
    '</StdOut></OverallResult></TestCase><OverallResultsCases successes="1" failures="0"/></Catch2TestRun>\n',
  ));
  events.push(...reader.end({ code: 0, signal: null }));
  t.match(events.map(({ type }) => type), ["planned", "started", "output", "finished", "suite_ended"]);
  t.match(events.at(-1), { complete: true });
  t.match(events[2], { text: /some words <and more> .* characters left out .*<and more>/s });
  t.end();
});

t.test("is found by asking a program that holds it, and by what a project is built with", async (t) => {
  t.match(await catch2.detect(projectFor({ command }, {}, probes)), { confidence: 85 });
  t.equal(
    await catch2.detect(projectFor({ command }, { "CMakeLists.txt": "Catch2" })),
    undefined,
    "not started",
  );
  t.equal(await catch2.detect(projectFor({ command: "make check; ./x" }, {}, probes)), undefined);
  t.match(await catch2.detect(projectFor({}, { "CMakeLists.txt": "find_package(Catch2 3 REQUIRED)" })), {
    confidence: 60,
    hint: "Catch2 project detected. Provide the test binary path via command parameter.",
  });
  t.equal(await catch2.detect(projectFor()), undefined);
});

t.test("a level is a tag, and names are escaped", async (t) => {
  const argvOf = async (request: Parameters<typeof projectFor>[0]) =>
    (await catch2.plan(projectFor({ command, ...request }, {}, probes), place)).runs[0]!.argv.slice(7);
  t.strictSame(await argvOf({}), []);
  t.strictSame(await argvOf({ level: "e2e" }), ["[e2e]"]);
  t.strictSame(await argvOf({ test: 'a, [b] "c\\' }), ['a\\, \\[b\\] \\"c\\\\']);
  await t.rejects(argvOf({ level: "unit", test: "a" }), { code: "INVALID_INPUT" });
  await t.rejects(catch2.plan(projectFor(), place), {
    code: "INVALID_INPUT",
    message: /no test program is given/,
  });
  await t.rejects(catch2.plan(projectFor({ command }), place), { message: /does not exist/ });
  t.strictSame(
    catch2.rerun!({ name: "a, b", status: "failed" }, projectFor({ command })),
    { argv: ["./build/tests", "a\\, b"] },
  );
});

t.test("functions that assertions call are worth a trace", (t) => {
  const message = "REQUIRE( geo::area<int>(2) == sizeof(x) + std::max(1, side(3)) )\nwith expansion: 4 == 5";
  t.strictSame(catch2.suggestTraces!({ name: "a", status: "failed", message }), ["geo::area", "side"]);
  t.end();
});

t.test("a project without tests is told how a first one is written", async (t) => {
  const files = { "src/a.cpp": "", "tests/adds.cpp": "", "tests/adds_test.cpp": "", "src/test.cc": "" };
  t.match(await catch2.withoutTests(projectFor({}, files)), { testFiles: 2, hint: /TEST_CASE/ });
});
