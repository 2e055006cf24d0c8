/** Frameworks of scripting languages with their real tools: as many tests as the framework counts itself. */
import { mkdir, symlink } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import t from "tap";
import { readEnv } from "../../../src/platform/host.ts";
import { runCommand } from "../../../src/platform/process.ts";
import { missing, pasted, projectOf, runProjectTests, testNamed } from "../../support/run_project_tests.ts";

t.test("RSpec", { skip: await missing("rspec") }, async (t) => {
  const root = await projectOf(t, {
    "spec/a_spec.rb":
      'RSpec.describe "sums" do\n  it("adds") { puts "said"; expect(ARGV).to eq [] }\n  it { expect(1).to eq 2 }\n' +
      '  it("fails (1 + 1)") { expect(1).to eq 2 }\n  it("later")\nend\n',
  });
  const run = await runProjectTests(root);
  const failed = ["sums (./spec/a_spec.rb:3)", "sums fails (1 + 1)"];
  t.strictSame([run.passed, run.failed, run.skipped], [["sums adds"], failed, ["sums later"]]);
  t.match((await runCommand(["rspec"], { cwd: root })).stdout, "4 examples, 2 failures, 1 pending");
  t.equal(testNamed(run, "sums adds").output, "said\n");
  for (const name of failed) t.match(await pasted(run, name), { code: 1, output: "1 example, 1 failure" });
  t.strictSame((await runProjectTests(root, "--test", failed[1]!)).failed, [failed[1]]);
});

const pytest = (await runCommand(["python3", "-m", "pytest", "--version"])).code !== 0 &&
  "pytest is not installed";

t.test("pytest", { skip: pytest }, async (t) => {
  const root = await projectOf(t, {
    "test_a.py": "import os, pytest\ndef test_adds(): print('said')\ndef test_fails(): assert 1 == 2\n" +
      "@pytest.mark.skip\ndef test_later(): pass\ndef test_forks():\n  if os.fork() == 0: os._exit(0)\n  os.wait()\n",
  });
  const run = await runProjectTests(root);
  t.strictSame([run.failed, run.skipped], [["test_a.py::test_fails"], ["test_a.py::test_later"]]);
  const own = (await runCommand(["python3", "-m", "pytest"], { cwd: root })).stdout;
  t.match(own, `1 failed, ${run.passed.length} passed, 1 skipped`);
  t.match(testNamed(run, "test_a.py::test_fails"), { place: { file: "test_a.py", line: 3 } });
  t.match(await pasted(run, "test_a.py::test_fails"), { code: 1, output: "1 failed" });
});

t.test("unittest", { skip: await missing("python3") }, async (t) => {
  const root = await projectOf(t, {
    "test_a.py":
      "import os, unittest\nclass A(unittest.TestCase):\n  def test_adds(self): print('OK', flush=True)\n" +
      "  def test_fails(self): self.assertEqual(1, 2)\n  @unittest.skip('later')\n  def test_later(self): pass\n" +
      "class B(unittest.TestCase):\n  def run(self, result): result.startTest(self); result.stopTest(self)\n" +
      "  def test_b(self): pass\nclass C(unittest.TestCase):\n  def test_leaves(self): os._exit(0)\n",
  });
  const run = await runProjectTests(root);
  t.strictSame(
    [run.code, run.passed, run.failed, run.skipped, run.crashed],
    [1, ["test_a.A.test_adds"], ["test_a.A.test_fails", "test_a.B.test_b"], ["test_a.A.test_later"], [
      "test_a.C.test_leaves",
    ]],
    "a test without a result, and one that leaves the process, are no success",
  );
  t.match(await pasted(run, "test_a.A.test_fails"), { code: 1, output: "FAILED (failures=1)" });
});

const packages = readEnv("PTH_PI_PROJECT");

t.test("vitest", { skip: packages === undefined && "PTH_PI_PROJECT names no folder with it" }, async (t) => {
  const root = await projectOf(t, {
    "package.json": '{ "type": "module", "scripts": { "test": "vitest run" } }',
    "a.test.js": 'import { expect, test } from "vitest";\ntest("adds", () => console.log("✓ fake"));\n' +
      'test("fails", () => expect(1).toBe(2));\ntest.skip("later", () => {});\n',
  });
  await symlink(join(packages!, "node_modules"), join(root, "node_modules"));
  const run = await runProjectTests(root);
  t.strictSame([run.passed, run.failed, run.skipped], [["adds"], ["fails"], ["later"]]);
  const own = (await runCommand(["node_modules/.bin/vitest", "run"], {
    cwd: root,
    env: { NO_COLOR: "1" },
  })).stdout;
  t.match(own, "Tests  1 failed | 1 passed | 1 skipped (3)");
  t.match(testNamed(run, "fails"), { place: { file: "a.test.js", line: 3 } });
  t.match(await pasted(run, "fails"), { code: 1, output: "1 failed" });
});

const modules = new URL("../../../node_modules/", import.meta.url);

t.test("node-tap", async (t) => {
  const root = await projectOf(t, {
    "package.json": '{ "type": "module", "scripts": { "test": "tap --disable-coverage" } }',
    "test/a.test.js": 'import t from "tap";\n' +
      't.test("adds", (t) => { console.log("said"); t.equal(1, 1); t.end(); });\n' +
      't.test("sums", (t) => { t.test("fails (1 + 1)", (t) => { t.equal(1, 2); t.end(); }); t.end(); });\n',
    "test/b.test.js": 'import t from "tap";\nimport "./missing.js";\n',
  });
  await mkdir(join(root, "node_modules"));
  // node-tap loads a TypeScript of before version 7 from the project.
  for (
    const [name, path] of [["tap", "tap"], [".bin", ".bin"], ["typescript", "tshy/node_modules/typescript"]]
  ) {
    await symlink(fileURLToPath(new URL(path!, modules)), join(root, "node_modules", name!));
  }
  const run = await runProjectTests(root);
  t.strictSame([run.passed, run.failed], [["adds"], ["sums", "sums > fails (1 + 1)"]]);
  t.strictSame(run.notRun, ["test/b.test.js:undefined"]);
  t.equal(testNamed(run, "adds").output, "said\n");
  t.match(await pasted(run, "sums > fails (1 + 1)"), { code: 1, output: "pass: 0, fail: 1" });
});

t.test("Deno", async (t) => {
  const root = await projectOf(t, {
    "deno.json": '{ "tasks": { "test": "deno test --no-check" } }',
    "a_test.js": 'Deno.test("adds", () => console.log("fails ... ok (1ms)"));\n' +
      'Deno.test("fails", () => { throw new Error("wrong"); });\nDeno.test("leaves", () => Deno.exit(0));\n' +
      'Deno.test.ignore("later", () => {});\nDeno.test("steps", (t) => t.step("first", () => {}));\n',
  });
  const bin = join(root, "node_modules/.bin");
  await mkdir(bin, { recursive: true });
  const program = fileURLToPath(new URL("../../../scripts/deno/node_modules/deno/deno", import.meta.url));
  await symlink(program, join(bin, "deno"));
  const run = await runProjectTests(root);
  t.strictSame([run.passed, run.failed, run.skipped], [
    ["adds", "steps", "steps > first"],
    ["fails", "leaves"],
    ["later"],
  ]);
  t.match(run.details.output.stdout, "FAILED | 2 passed (1 step) | 2 failed | 1 ignored");
  t.equal(testNamed(run, "adds").output, "fails ... ok (1ms)\n");
  t.match(testNamed(run, "fails"), {
    place: { file: "a_test.js", line: 2 },
    message: "Error: wrong",
    rerun: "deno test --no-check '--filter=/^fails$/' a_test.js",
  });
});
