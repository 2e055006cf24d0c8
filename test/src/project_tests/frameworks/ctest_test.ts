import t from "tap";
import ctest from "../../../../src/project_tests/frameworks/ctest.ts";
import {
  projectFor,
  readAll,
  recordedRun,
  testFrameworkContract,
  toldIn,
} from "../../../contracts/test_framework_contract.ts";

const place = { scratch: "/scratch", events: "/scratch/events" };
const files = { "CMakeLists.txt": "project(shop CXX)\nenable_testing()\nadd_test(NAME a COMMAND a)\n" };

t.test("tests that pass, crash, hang, cannot start, are off, or print the lines of others", (t) => {
  testFrameworkContract(t, {
    framework: ctest,
    run: recordedRun("ctest/tests"),
    expected: [
      "passed [build] fine",
      "failed [build] asserts at asserts.cpp:4: int main(): Assertion `side(2) == 3' failed.",
      "failed [build] crashes: crashed: SegFault",
      "passed [build] prints",
      "failed [build] exits3: said",
      "failed [build] sleeps: Timeout",
      "passed [build] with spaces (and more)",
      "failed [build] missing: Not Run",
      "skipped [build] skips: skipped",
      "skipped [build] off: disabled",
      "failed [build] expects: Failed  Required regular expression not found. Regex=[never printed",
    ],
  });
  const events = readAll(ctest.reader(projectFor()), recordedRun("ctest/tests"));
  const printed = events.flatMap((event) =>
    event.type === "output" && event.test?.name === "prints" ? [event.text] : []
  );
  t.match(printed, [
    "1/9 Test #1: fine ....   Passed    0.00 sec\n",
    "    Start 7: forged\n",
    / no newline\n$/,
  ]);
  t.end();
});

t.test("errors of compiler, linker and CMake are failures with their places", (t) => {
  const read = (stdout: string, stderr = "") =>
    toldIn(ctest.readPreparation!({ code: 1, stdout, stderr }, projectFor()));
  t.strictSame(
    read(
      "/project/a.cpp: In function 'int main()':\n/project/a.cpp:3:11: error: invalid conversion\n    3 |   int x\n",
    ),
    ["not run at a.cpp:3: invalid conversion"],
  );
  t.strictSame(
    read("", "/usr/bin/ld: a.cpp.o: in function `main':\na.cpp:(.text+0x5): undefined reference to `f()'\n"),
    ["not run at a.cpp:?: undefined reference to `f()'"],
  );
  t.strictSame(
    read(
      "",
      'CMake Error at CMakeLists.txt:6 (foo):\n  Unknown CMake command "foo".\n\n\n-- Configuring incomplete',
    ),
    ['not run at CMakeLists.txt:6: Unknown CMake command "foo".'],
  );
  t.strictSame(read("ninja: error\n"), ["not run: ninja: error"]);
  t.end();
});

t.test("is found by what CMakeLists.txt registers, and leaves commands to others", async (t) => {
  t.match(await ctest.detect(projectFor({}, files)), { confidence: 75 });
  t.equal(await ctest.detect(projectFor({ command: "./tests" }, files)), undefined);
  t.equal(await ctest.detect(projectFor({}, { "CMakeLists.txt": "project(shop)" })), undefined);
});

t.test("builds in the folder that is configured, chooses by label and by name", async (t) => {
  const planFor = async (request: Parameters<typeof projectFor>[0], more: Record<string, string> = {}) => {
    const { preparation, runs } = await ctest.plan(projectFor(request, { ...files, ...more }), place);
    return [...preparation, ...runs].map(({ argv }) => argv.join(" "));
  };
  t.strictSame(await planFor({}), [
    "cmake -S . -B build",
    'sh -c exec "$@" "$(nproc)" sh cmake --build build --parallel',
    "ctest --test-dir build --verbose",
  ]);
  t.strictSame(await planFor({ level: "unit", test: "a.b" }, { "my out/CMakeCache.txt": "" }), [
    'sh -c exec "$@" "$(nproc)" sh cmake --build my out --parallel',
    "ctest --test-dir my out --verbose --label-regex ^unit$ --tests-regex ^a\\.b$",
  ]);
  t.strictSame(
    ctest.rerun!({ name: "a (b)", suite: "build", status: "failed" }, projectFor()).argv,
    ["ctest", "--test-dir", "build", "--verbose", "--tests-regex", "^a \\(b\\)$"],
  );
});

t.test("a project without tests is told how a first one is written", async (t) => {
  t.match(await ctest.withoutTests(projectFor({}, files)), { testFiles: 0, hint: /add_test\(NAME/ });
});
