/** .ci/run with an npm that only plays its part: what it counts and how it ends. */
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import t, { type Test } from "tap";
import { chmod, copyFile } from "../../../src/platform/files.ts";
import { readEnv } from "../../../src/platform/host.ts";
import { runCommand } from "../../../src/platform/process.ts";

const root = fileURLToPath(new URL("../../../", import.meta.url));

/** Runs .ci/run in a folder with a fake npm; `cases` are arms of a shell `case` on npm's arguments. */
async function runCi(t: Test, cases: string) {
  const folder = t.testdir({
    ".ci": {},
    scripts: { "setup-host.sh": '[ "$1" = --stop ] && echo stopped >&2; exit 0\n' },
    bin: { npm: `#!/bin/sh\ncase "$*" in\n${cases}\n*) ;;\nesac\n` },
  });
  await copyFile(join(root, ".ci/run"), join(folder, ".ci/run"));
  await chmod(join(folder, "bin/npm"), 0o755);
  await chmod(join(folder, "scripts/setup-host.sh"), 0o755);
  const result = await runCommand(["bash", join(folder, ".ci/run")], {
    env: { PATH: `${join(folder, "bin")}:${readEnv("PATH")}` },
  });
  return { ...result, lastLine: result.stdout.trimEnd().split("\n").at(-1) };
}

t.test("all is well: exit 0, and the last line has the runner's counts", async (t) => {
  const ci = await runCi(t, 'test*) echo "12 passed, 0 failed" ;;');
  t.equal(ci.lastLine, "12 passed, 0 failed");
  t.equal(ci.code, 0);
  t.match(ci.stderr, "stopped", "what it started is stopped");
});

t.test("failed tests are counted once, also when npm says more after the counts", async (t) => {
  const ci = await runCi(t, 'test*) echo "12 passed, 3 failed"; echo "npm error code 1" >&2; exit 1 ;;');
  t.equal(ci.lastLine, "12 passed, 3 failed");
  t.equal(ci.code, 1);
});

t.test("tests that were cut short are a failure, though none of them failed", async (t) => {
  const ci = await runCi(t, 'test*) echo "4 passed, 0 failed"; exit 130 ;;');
  t.equal(ci.lastLine, "4 passed, 1 failed");
  t.match(ci.stdout, "Failed: tests");
  t.equal(ci.code, 1);
});

t.test("a failed check counts as one failed and the tests still run", async (t) => {
  const ci = await runCi(t, '*"run --silent ok") exit 1 ;;\ntest*) echo "12 passed, 0 failed" ;;');
  t.equal(ci.lastLine, "12 passed, 1 failed");
  t.match(ci.stdout, "Failed: checks");
  t.equal(ci.code, 1);
});

t.test("tests that die before they count are a failure", async (t) => {
  const ci = await runCi(t, "test*) exit 1 ;;");
  t.equal(ci.lastLine, "0 passed, 1 failed");
  t.equal(ci.code, 1);
});

t.test("without dependencies nothing else is tried", async (t) => {
  const ci = await runCi(t, 'ci) exit 1 ;;\ntest*) echo "12 passed, 0 failed" ;;');
  t.equal(ci.lastLine, "0 passed, 1 failed");
  t.match(ci.stdout, "Failed: dependencies");
});
