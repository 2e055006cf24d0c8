/** .ci/run with programs that only play their part: what it counts, how it ends, and where its files are. */
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import t, { type Test } from "tap";
import { chmod, copyFile, pathExists, readTextFile } from "../../../src/platform/files.ts";
import { readEnv } from "../../../src/platform/host.ts";
import { runCommand } from "../../../src/platform/process.ts";

const root = fileURLToPath(new URL("../../../", import.meta.url));

/** Programs that change the machine: each only writes down that it was called. */
const changing = ["apt-get", "mount", "umount"];

/**
 * Runs .ci/run in a folder with fake programs, as if by root; `cases` are arms of a shell `case` on npm's arguments.
 * @param availableGB of memory, by `/proc/meminfo`
 */
async function runCi(t: Test, cases: string, availableGB = 4) {
  const folder = t.testdir({
    ".ci": {},
    home: {},
    scripts: { "setup-host.sh": '[ "$1" = --stop ] && echo stopped >&2; exit 0\n' },
    bin: {
      npm: `#!/bin/sh\ncase "$*" in\n${cases}\n*) ;;\nesac\n`,
      id: "#!/bin/sh\necho 0\n",
      awk: `#!/bin/sh\necho ${availableGB}\n`,
      ...Object.fromEntries(
        changing.map((name) => [name, `#!/bin/sh\necho "${name} $*" >>"$CALLS"\n`]),
      ),
    },
  });
  await copyFile(join(root, ".ci/run"), join(folder, ".ci/run"));
  for (const name of ["npm", "id", "awk", ...changing]) await chmod(join(folder, "bin", name), 0o755);
  await chmod(join(folder, "scripts/setup-host.sh"), 0o755);
  const calls = join(folder, "calls");
  const result = await runCommand(["bash", join(folder, ".ci/run")], {
    env: {
      PATH: `${join(folder, "bin")}:${readEnv("PATH")}`,
      HOME: join(folder, "home"),
      TMPDIR: folder,
      CALLS: calls,
    },
  });
  const called = await pathExists(calls) ? (await readTextFile(calls)).split("\n") : [];
  return { ...result, folder, called, lastLine: result.stdout.trimEnd().split("\n").at(-1) };
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

t.test("files are in memory where there is enough of it, what is there already stays, and all is undone", async (t) => {
  const ran = 'test*) touch "$HOME/left"; echo "in $TMPDIR"; echo "12 passed, 0 failed" ;;';
  const { folder, called, stdout } = await runCi(t, ran, 20);
  const work = /Temporary files are in memory: .*?(\S+)\n/.exec(stdout)?.[1] ?? "";
  t.match(stdout, `in ${work}/tmp\n`);
  const home = join(folder, "home/.npm");
  t.ok(called.includes(`mount --bind ${work}/at${home} ${home}`));
  const taken = (program: string) =>
    called.filter((line) => line.startsWith(`${program} -`)).map((line) => line.split(" ").at(-1));
  t.strictSame(taken("umount"), taken("mount").toReversed());
  t.notOk(await pathExists(work));
  t.notOk(await pathExists(home), "what it made for a mount is gone");
  t.ok(await pathExists(join(folder, "home/left")));
});

t.test("files are on the disk where memory is short, and that is said", async (t) => {
  const { called, stdout } = await runCi(t, 'test*) echo "12 passed, 0 failed" ;;', 4);
  t.match(stdout, "Temporary files are on the disk: memory needs root and 18 GB available (4 GB are)");
  t.strictSame(called.filter((line) => line.includes("mount")), []);
});
