/** Frameworks of compiled languages with their real tools: as many tests as the framework counts itself. */
import { existsSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import t from "tap";
import { runCommand } from "../../../src/platform/process.ts";
import { missing, pasted, projectOf, runProjectTests, testNamed } from "../../support/run_project_tests.ts";

t.test("cargo", { skip: await missing("cargo", "rustc") }, async (t) => {
  const root = await projectOf(t, {
    "Cargo.toml":
      '[package]\nname = "shop"\nversion = "0.1.0"\nedition = "2021"\n[[test]]\nname = "plain"\nharness = false\n',
    "src/lib.rs":
      "/// ```\n/// assert_eq!(shop::add(1, 1), 2);\n/// ```\npub fn add(a: i32, b: i32) -> i32 { a + b }\n" +
      '#[cfg(test)]\nmod tests {\n  #[test] fn adds() { println!("said"); }\n' +
      "  #[test] fn fails() { assert_eq!(super::add(1, 1), 3); }\n  #[test] #[ignore] fn slow() {}\n}\n",
    "tests/it.rs": "#[test] fn exits() { std::process::exit(0); }\n",
    "tests/plain.rs": "fn main() {}\n",
  });
  const run = await runProjectTests(root);
  t.equal(run.answer.framework, "cargo");
  t.same(run.failed, ["tests::fails"]);
  t.same(run.skipped, ["tests::slow"]);
  t.equal(run.passed.includes("tests::adds"), true);
  t.equal(run.passed.includes("tests/plain.rs"), true, "a program without a harness");
  t.equal(run.passed.includes("src/lib.rs - add (line 1)"), true, "a doc test");
  t.same(run.crashed, ["exits"], "a test that leaves the process is no success");
  t.match(await pasted(run, "tests::fails"), { code: 101, output: /0 passed; 1 failed/ });
  t.same((await runProjectTests(root, "--test", "fails")).failed, ["tests::fails"]);
  t.same((await runProjectTests(root, "--level", "unit")).passed, ["tests::adds"]);
  await writeFile(join(root, "src/lib.rs"), "pub fn add() -> i32 {\n  undefined\n}\n");
  t.same((await runProjectTests(root)).notRun, ["src/lib.rs:2"]);
});

t.test("go", { skip: await missing("go") }, async (t) => {
  const root = await projectOf(t, {
    "go.mod": "module example.com/shop\n\ngo 1.19\n",
    "cart/cart_test.go":
      'package cart\n\nimport "testing"\n\nfunc TestAdds(t *testing.T) { t.Run("a b", func(t *testing.T) {}) }\n' +
      'func TestFails(t *testing.T) { t.Error("wrong") }\nfunc TestSkips(t *testing.T) { t.Skip("later") }\n',
    "bad/bad_test.go": "package bad\n\nvar _ = undefined\n",
  });
  const run = await runProjectTests(root);
  const own = (await runCommand(["go", "test", "-v", "-count=1", "./cart"], { cwd: root })).stdout;
  const counted = (word: string) => own.match(new RegExp(`^ *--- ${word}: `, "gm"))?.length;
  t.equal(run.passed.length, counted("PASS"));
  t.equal(run.failed.length, counted("FAIL"));
  t.equal(run.skipped.length, counted("SKIP"));
  t.same(run.notRun, ["bad/bad_test.go:3"]);
  t.match(testNamed(run, "TestFails"), { place: { file: "cart/cart_test.go", line: 6 }, message: "wrong" });
  t.match(await pasted(run, "TestFails"), { code: 1, output: /--- FAIL: TestFails/ });
});

t.test("CTest", { skip: await missing("cmake", "ctest", "cc") }, async (t) => {
  const root = await projectOf(t, {
    "CMakeLists.txt": "cmake_minimum_required(VERSION 3.20)\nproject(shop C)\nenable_testing()\n" +
      'add_executable(a a.c)\nadd_test(NAME "a b" COMMAND a)\nadd_test(NAME fails COMMAND a 1)\n',
    "a.c":
      "#include <assert.h>\nint main(int count, char **arguments) {\n  (void)arguments;\n  assert(count == 1);\n}\n",
  });
  const run = await runProjectTests(root);
  t.same([run.passed, run.failed, run.details.problems], [["a b"], ["fails"], []]);
  t.match(await pasted(run, "fails"), { code: 8, output: /0% tests passed, 1 tests failed out of 1/ });
  await writeFile(join(root, "a.c"), "int main() {\n  return undefined;\n}\n");
  t.same((await runProjectTests(root)).notRun, ["a.c:2"]);
});

interface NativeCase {
  name: string;
  framework: string;
  header: string;
  source: string;
  libraries: string[];
  /** Name of the failing test, and what the framework prints of the whole run. */
  failing: string;
  summary: RegExp;
}

const cases: NativeCase[] = [
  {
    name: "Catch2",
    framework: "catch2",
    header: "/usr/include/catch2/catch.hpp",
    source:
      '#include <catch2/catch.hpp>\nTEST_CASE("adds, twice", "[unit]") { CHECK(1 + 1 == 3); }\nTEST_CASE("b") { CHECK(true); }\n',
    libraries: ["-lCatch2WithMain"],
    failing: "adds, twice",
    summary: /test cases: 2 \| 1 passed \| 1 failed/,
  },
  {
    name: "GoogleTest",
    framework: "gtest",
    header: "/usr/include/gtest/gtest.h",
    source: "#include <gtest/gtest.h>\nTEST(Sums, Adds) { EXPECT_EQ(1 + 1, 3); }\nTEST(Sums, B) {}\n",
    libraries: ["-lgtest", "-lgtest_main", "-lpthread"],
    failing: "Sums.Adds",
    summary: /\[ {2}PASSED {2}\] 1 test\.\n\[ {2}FAILED {2}\] 1 test,/,
  },
  {
    name: "doctest",
    framework: "doctest",
    header: "/usr/include/doctest/doctest.h",
    source: "#define DOCTEST_CONFIG_IMPLEMENT_WITH_MAIN\n#include <doctest/doctest.h>\n" +
      'TEST_CASE("adds, twice") { CHECK(1 + 1 == 3); }\nTEST_CASE("b") { CHECK(true); }\n',
    libraries: [],
    failing: "adds, twice",
    summary: /test cases: +2 \| +1 passed \| +1 failed/,
  },
];

for (const { name, framework, header, source, libraries, failing, summary } of cases) {
  const without = existsSync(header) ? await missing("g++") : `${header} is not installed`;
  t.test(name, { skip: without }, async (t) => {
    const root = await projectOf(t, { "tests.cpp": source });
    const built = await runCommand(["g++", "-O0", "tests.cpp", "-o", "tests", ...libraries], { cwd: root });
    t.equal(built.code, 0, built.stderr.slice(0, 500));
    const run = await runProjectTests(root, "--command", "./tests");
    t.equal(run.answer.framework, framework);
    t.match(
      run.details.found,
      [{ confidence: 85 }, { framework: "generic" }],
      "no other one takes it for its own",
    );
    t.equal(run.passed.length, 1);
    t.same([run.failed, run.details.problems], [[failing], []]);
    const own = await runCommand(["./tests"], { cwd: root });
    t.match(own.stdout, summary, "as many as the framework counts");
    t.match(await pasted(run, failing), { code: /^(?!0$)/ });
    t.same((await runProjectTests(root, "--command", "./tests", "--test", failing)).failed, [failing]);
  });
}
