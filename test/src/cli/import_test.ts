import { join } from "node:path";
import t from "tap";
import { runCli } from "../../../src/cli/main.ts";
import { makeTempDir, readTextFile, removeIfExists, writeTextFile } from "../../../src/platform/files.ts";
import { parseTests } from "../../../src/testing/format/parse.ts";
import { keptContext, scriptedHarness } from "./scripted_harness.ts";

async function pth(...args: string[]) {
  const kept = keptContext(scriptedHarness());
  const exitCode = await runCli(["import", ...args], kept.context);
  return { exitCode, stdout: kept.stdout(), stderr: kept.stderr() };
}

const suite = `tools:
  tests:
    - { name: adds, tool: add, params: { a: 1 }, expect: { success: true, result: { schema: {} } } }
`;

t.test("import writes test files, and tells what has no counterpart", async (t) => {
  const folder = await makeTempDir({ prefix: "pth-import-" });
  t.teardown(() => removeIfExists(folder));
  const file = join(folder, "suite.yaml");
  const output = join(folder, "tests");
  await writeTextFile(file, suite);

  const { exitCode, stdout, stderr } = await pth(file, "--output", output);
  t.equal(exitCode, 0);
  t.equal(stdout, `${join(output, "suite.yaml")}: 1 test from ${file} (mcp-server-tester)\n`);
  t.match(stderr, `${file}:3:85`);
  t.match(stderr, "tools.tests[0].expect.result.schema: no assertion");
  t.match(parseTests("x.yaml", await readTextFile(join(output, "suite.yaml"))), [{
    name: "adds",
    tool: "add",
  }]);

  const again = await pth(file, "--output", output);
  t.equal(again.exitCode, 2);
  t.match(again.stderr, "exists already: --force overwrites it");
  t.equal((await pth(file, "--output", output, "--force")).exitCode, 0);
});

t.test("unknown keys are exit 2, and the rest is written all the same", async (t) => {
  const folder = await makeTempDir({ prefix: "pth-import-" });
  t.teardown(() => removeIfExists(folder));
  const file = join(folder, "suite.yaml");
  await writeTextFile(
    file,
    `${suite}    - { name: odd, tool: add, params: {}, expect: { success: true }, retries: 2 }\n`,
  );
  const { exitCode, stdout, stderr } = await pth(file, "--format", "mcp-server-tester");
  t.equal(exitCode, 2);
  t.equal(parseTests("x.yaml", stdout).length, 2);
  t.match(
    stderr,
    /Not understood:\n[\s\S]*suite\.yaml:4:\d+ +tools\.tests\[1\]\.retries: unknown key "retries"/,
  );
  t.match((await pth(join(folder, "none.yaml"))).stderr, "there is no file");
});
