import { join } from "node:path";
import t from "tap";
import { runCli } from "../../../src/cli/main.ts";
import { makeTempDir, readTextFile, removeIfExists } from "../../../src/platform/files.ts";
import { parseTests } from "../../../src/testing/format/parse.ts";
import { keptContext, scriptedHarness } from "./scripted_harness.ts";

async function pth(...args: string[]) {
  const played = scriptedHarness();
  const kept = keptContext(played);
  return { exitCode: await runCli(args, kept.context), calls: played.calls, ...kept };
}

t.test("pth alone prints help on stdout, a wrong command what was meant", async (t) => {
  const alone = await pth();
  t.equal(alone.exitCode, 0);
  for (const name of ["run", "generate", "export-ci", "preflight", "images", "clean", "mcp"]) {
    t.match(alone.stdout(), name);
  }
  const wrong = await pth("rnu");
  t.equal(wrong.exitCode, 2);
  t.equal(wrong.stdout(), "");
  t.match(wrong.stderr(), "Did you mean run?");
});

t.test("--version is the package's", async (t) => {
  const { version } = JSON.parse(await readTextFile("package.json")) as { version: string };
  const { exitCode, stdout } = await pth("--version");
  t.equal(stdout(), version + "\n");
  t.equal(exitCode, 0);
});

t.test("generate writes tests that can be read back, to stdout or a folder", async (t) => {
  const toStdout = await pth("generate", "./sample");
  t.equal(toStdout.exitCode, 0);
  t.same(toStdout.calls.map(({ name }) => name), [
    "startSession",
    "provision",
    "load",
    "generateTests",
    "endSession",
  ]);
  t.equal(parseTests("generated.yaml", toStdout.stdout()).length, 5);
  t.match(toStdout.stderr(), "Excluded wipe: its name says that it deletes");

  const folder = await makeTempDir({ prefix: "pth-cli-test-" });
  t.teardown(() => removeIfExists(folder));
  const toFolder = await pth("generate", "./sample", "--output", join(folder, "new"), "--tool", "echo");
  t.equal(toFolder.stdout(), "");
  t.equal(await readTextFile(join(folder, "new/generated.yaml")), toStdout.stdout());
  const from = ["schema", "source_analysis", "documentation", "config", "learned"];
  t.same(toFolder.calls[3]!.args, [{ from, tools: ["echo"] }]);
});

t.test("preflight says what to do and is exit 3 when something is missing", async (t) => {
  const { exitCode, stdout } = await pth("preflight", "./sample");
  t.equal(exitCode, 3);
  t.equal(
    stdout(),
    "✓ docker: the engine answers\n✗ disk: 12 MB free\n    → pth clean\n\n1 ok, 0 warnings, 1 failed\n",
  );
});

t.test("images without an action, and with a name that is none", async (t) => {
  t.equal((await pth("images")).exitCode, 2);
  const wrong = await pth("images", "lst");
  t.equal(wrong.exitCode, 2);
  t.match(wrong.stderr(), "list, build, unpack, prune");
  const unknown = await pth("images", "build", "windows");
  t.equal(unknown.exitCode, 2);
  t.match(unknown.stderr(), "debian12");
});

t.test("images that are named, and options, where an action would not heed them", async (t) => {
  const cases: [string[], RegExp][] = [
    [["prune", "debian12"], /Cannot prune images by name/],
    [["list", "debian12"], /Cannot list images by name/],
    [["list", "--all"], /--all does not apply/],
    [["prune", "--with", "packer"], /--with does not apply/],
    [["unpack", "debian12-systemd"], /not for sandboxes/],
  ];
  for (const [args, says] of cases) {
    const { exitCode, stderr } = await pth("images", ...args);
    t.equal(exitCode, 2, args.join(" "));
    t.match(stderr(), says);
  }
});
