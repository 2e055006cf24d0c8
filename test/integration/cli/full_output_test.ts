/** Outputs that take nothing: what they were to say is told where that is possible, and the exit code says it in any case. */
import { join } from "node:path";
import process from "node:process";
import t from "tap";
import { mkdir, readDir, writeTextFile } from "../../../src/platform/files.ts";
import { runCommand } from "../../../src/platform/process.ts";
import { temporaryFolder } from "../../support/temporary_folder.ts";
import { root } from "../../support/pth.ts";
import { pthCommandLine } from "../../support/bundled_pth.ts";

const home = await temporaryFolder(t);
const env = { PTH_HOME: join(home, "home"), PTH_WORKTREE_DIR: join(home, "worktrees"), NO_COLOR: "1" };
const linux = process.platform === "linux" ? {} : { skip: "there is no /dev/full" };

/** Runs `pth …` with outputs sent to files by a shell. */
const redirected = (to: string, ...args: string[]) =>
  runCommand(["sh", "-c", `exec "$@" ${to}`, "sh", ...pthCommandLine("cli", ...args)], {
    cwd: root,
    env,
    signal: AbortSignal.timeout(60_000),
  });

const server = `${process.execPath} run -A ${join(root, "test/fixtures/faulty_servers/faulty.mjs")}`;
const tests = join(home, "healthy.yaml");
await writeTextFile(tests, "name: healthy\ntool: echo\ninput: {}\n");

async function left(): Promise<string[]> {
  const names: string[] = [];
  for (const folder of ["worktrees", "home/sessions", "home/hosts"]) {
    await mkdir(join(home, folder), { recursive: true });
    for await (const { name } of readDir(join(home, folder))) names.push(`${folder}/${name}`);
  }
  return names;
}

for (const args of [["--help"], ["--version"], ["images", "list"], ["clean"], ["viz", "--help"]]) {
  t.test(`pth ${args.join(" ")} with a full stdout says so`, linux, async (t) => {
    const { code, stderr } = await redirected(">/dev/full", ...args);
    t.equal(code, 3);
    t.match(stderr, /error Cannot write to stdout: its disk is full/);
    t.notMatch(stderr, /not foreseen|Top-level|at file:/);
  });
}

t.test("a run whose report cannot be written is no success, and leaves nothing", linux, async (t) => {
  const args = ["run", "--env", "host", "--tests", tests, "--command", server];
  const { code, stderr } = await redirected(">/dev/full", ...args);
  t.equal(code, 3);
  t.match(stderr, /Cannot write to stdout: its disk is full/);
  t.match(stderr, /--reporter json:FILE/);
  t.same(await left(), []);
});

t.test("a full stderr and stdout leave the exit code", linux, async (t) => {
  t.match(await redirected(">/dev/full 2>&1", "--version"), { code: 3 });
  t.match(await redirected("2>/dev/full", "--version"), { code: 0 }, "nothing was to be said there");
  t.match(await redirected("2>/dev/full", "run", "--env", "nowhere", "x"), { code: 2 });
});

t.test("too low a limit of open files is named before anything is begun", linux, async (t) => {
  for (const args of [["run", "--env", "host", "--tests", tests, "--command", server], ["clean"], ["mcp"]]) {
    const script = 'ulimit -n 24; exec "$@" </dev/null';
    const { code, stderr, stdout } = await runCommand(
      ["sh", "-c", script, "sh", ...pthCommandLine("cli", ...args)],
      {
        cwd: root,
        env,
      },
    );
    t.equal(code, 2, args.join(" "));
    t.match(stderr, /may have 24 files open at once \(ulimit -n\), and needs at least 64.*ulimit -n 1024/s);
    t.equal(stdout, "");
  }
  t.same(await left(), []);
});

t.test("pth mcp with a full stdout ends, and says why", linux, async (t) => {
  const initialize = {
    jsonrpc: "2.0",
    id: 1,
    method: "initialize",
    params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "t", version: "1" } },
  };
  // Its stdin stays open: it ends because it cannot answer.
  const script = `exec 3< <(exec 2>/dev/null; printf '%s\\n' "$REQUEST"; sleep 20); "$@" <&3 >/dev/full`;
  const started = performance.now();
  const { code, stderr } = await runCommand(["bash", "-c", script, "bash", ...pthCommandLine("cli", "mcp")], {
    cwd: root,
    env: { ...env, REQUEST: JSON.stringify(initialize) },
    signal: AbortSignal.timeout(60_000),
  });
  t.equal(code, 3, stderr);
  t.match(stderr, /Cannot write to stdout/);
  t.ok(performance.now() - started < 15_000);
});
