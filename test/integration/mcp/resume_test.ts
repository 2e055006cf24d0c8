// test: timeout=400
/** Sessions whose PTH was killed go on in a new one: real repositories, real servers, a real client. */
import { execFileSync } from "node:child_process";
import { mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import process from "node:process";
import t, { type Test } from "tap";
import type { ResumedSession } from "../../../machines/model/resume.ts";
import { smallServer } from "../../support/small_server.ts";
import { temporaryFolder } from "../../support/temporary_folder.ts";
import { connectMcpClient } from "../../support/mcp_client.ts";
import { pthCommandLine } from "../../support/bundled_pth.ts";

t.setTimeout(380_000);

const server = smallServer({
  name: "adder",
  head: `import { add, double } from "./sums.mjs";
const number = { type: "number" };
const inputSchema = { type: "object", properties: { a: number, b: number }, required: ["a"] };`,
  tools: '[{ name: "add", inputSchema }, { name: "double", inputSchema }]',
  text: "String({ add, double }[call.name](call.arguments))",
});

const files: Record<string, string> = {
  "package.json": '{"name":"adder","version":"1.0.0","type":"module"}\n',
  ".mcp.json": '{"mcpServers":{"adder":{"command":"node","args":["server.mjs"]}}}\n',
  ".pth/tests/sums.yaml":
    '- { name: adds, tool: add, input: { a: 2, b: 3 }, expect: { output_equals: "5" } }\n' +
    '- { name: doubles, tool: double, input: { a: 2 }, expect: { output_equals: "4" } }\n',
  "server.mjs": server,
  "sums.mjs": "export const add = ({ a, b }) => a - b;\nexport const double = ({ a }) => a * 3;\n",
};

async function writePlugin(path: string): Promise<string> {
  for (const [name, text] of Object.entries(files)) {
    await mkdir(dirname(join(path, name)), { recursive: true });
    await writeFile(join(path, name), text);
  }
  return path;
}

const git = (path: string, ...args: string[]) =>
  execFileSync("git", ["-C", path, "-c", "user.name=t", "-c", "user.email=t@example.org", ...args], {
    encoding: "utf8",
    stdio: "pipe",
  });

function commitAll(path: string): void {
  git(path, "init", "--quiet", "--initial-branch=main");
  git(path, "add", "--all");
  git(path, "commit", "--quiet", "--message=first");
}

/** A PTH of its own, and a world that is the same for each. */
async function startPth(t: Test, world: string, cwd = world) {
  const env = { PTH_HOME: join(world, "home"), PTH_WORKTREE_DIR: join(world, "worktrees") };
  const { client, transport, call } = await connectMcpClient(t, { cwd, env });
  return {
    call,
    async succeed(name: string, input: Record<string, unknown> = {}) {
      const answer = await call(name, input);
      if (answer.isError) t.fail(`${name}: ${answer.text}`);
      return answer;
    },
    async refused(code: string, name: string, input: Record<string, unknown> = {}) {
      const answer = await call(name, input);
      t.ok(answer.isError, `${name} is refused`);
      t.match(answer.text, `[${code}]`);
      return answer.text;
    },
    async kill() {
      process.kill(transport.pid!, "SIGKILL");
      await client.close();
    },
    close: () => client.close(),
  };
}

type Pth = Awaited<ReturnType<typeof startPth>>;

const branchOf = (answer: { data: Record<string, unknown> }): string =>
  (answer.data["session"] as ResumedSession["session"]).source.branch!;

const worktreeOf = (answer: { data: Record<string, unknown> }): string =>
  (answer.data["session"] as ResumedSession["session"]).source.worktree;

/** A session with one fix of the two that are needed. */
async function beginAndFix(pth: Pth, pluginPath: string) {
  const started = await pth.succeed("pth_start_session", { pluginPath });
  await pth.succeed("pth_provision_environment", { runtime: "host" });
  await pth.succeed("pth_load_plugin");
  await pth.succeed("pth_run_test_suite");
  const fix = await pth.succeed("pth_apply_fix", {
    tests: ["adds"],
    title: "add instead of subtracting",
    category: "wrong-output",
    edits: [{ path: "sums.mjs", find: "a - b", replace: "a + b" }],
    reload: true,
  });
  return { started, fix };
}

t.test("a session killed after its first fix goes on in a new PTH, and ends with a report", async (t) => {
  const world = await temporaryFolder(t);
  const path = await writePlugin(join(world, "my adder"));
  commitAll(path);
  const first = await startPth(t, world);
  const { started } = await beginAndFix(first, path);
  const dead = worktreeOf(started);
  await mkdir(join(dead, ".pth/tests"), { recursive: true });
  await writeFile(
    join(dead, ".pth/tests/mine.yaml"),
    '{ name: mine, tool: add, input: { a: 1, b: 1 }, expect: { output_equals: "2" } }\n',
  );
  await writeFile(join(dead, "sums.mjs"), "half a fix");
  await first.kill();

  const second = await startPth(t, world);
  const preflight = await second.succeed("pth_preflight", { pluginPath: path });
  const offer = `Resume it: pth_resume_session({ branch: "${branchOf(started)}" })`;
  t.match(
    preflight.text,
    `! interrupted sessions: branch ${branchOf(started)} (2 commits) and worktree ${dead} of`,
  );
  t.match(preflight.text, offer);
  const resumed = await second.succeed("pth_resume_session", { branch: branchOf(started), provision: true });
  t.match(resumed.data, {
    iteration: 0,
    trend: "untested",
    commits: { fixes: 1, reverts: 0, others: 0 },
    tests: 3,
    degraded: [],
    untestedTools: [],
    environment: { config: { runtime: "host" } },
    next: ["pth_run_test_suite({})"],
  });
  const { standing } = resumed.data as unknown as ResumedSession;
  t.match(standing, { total: 2, passed: 0, failing: [{ name: "adds" }, { name: "doubles" }] });
  t.match(
    resumed.text,
    /In no commit, and not taken over: (package-lock\.json, )?sums\.mjs\. It is kept as (.+\.patch)/,
  );
  t.match(resumed.text, /Still there of the dead session \w+: environment [\w-]+\. To remove it: pth clean/);
  t.match(resumed.text, "Tests that were in no commit are carried over: .pth/tests/mine.yaml");
  const patch = /kept as (.+\.patch)/.exec(resumed.text)![1]!;
  t.match(await readFile(patch, "utf8"), "+half a fix");
  t.not(worktreeOf(resumed), dead);
  t.strictSame(await readdir(join(world, "worktrees")), [basename(worktreeOf(resumed))]);
  t.equal(git(path, "worktree", "list").trim().split("\n").length, 2);

  t.match((await second.succeed("pth_run_test_suite")).data, { summary: { passed: 2, failed: 1 } });
  await second.succeed("pth_apply_fix", {
    tests: ["doubles"],
    title: "double instead of tripling",
    edits: [{ path: "sums.mjs", find: "a * 3", replace: "a * 2" }],
    reload: true,
  });
  t.match((await second.succeed("pth_run_test_suite")).data, { summary: { passed: 3, failed: 0 } });
  const ended = await second.succeed("pth_end_session");
  t.match(ended.data, { branch: branchOf(started), branchKept: true, leftBehind: [] });
  const report = git(path, "show", `${branchOf(started)}:.pth/SESSION-REPORT.md`);
  t.match(report, "add instead of subtracting", "the report tells of the fixes from before, too");
  t.match(report, "double instead of tripling");
  t.equal(git(path, "show", `${branchOf(started)}:.pth/tests/mine.yaml`).length > 0, true);
  t.equal(git(path, "status", "--porcelain"), "");
  cleanUp(world);
  t.strictSame(await readdir(join(world, "home/sessions")), [], "no register of either session is left");
  t.strictSame(await readdir(join(world, "worktrees")), []);
});

t.test("a loop goes on where it was killed: its records, trend and numbers are those of one session", async (t) => {
  const world = await temporaryFolder(t);
  const path = await writePlugin(join(world, "adder"));
  commitAll(path);
  const first = await startPth(t, world);
  const started = await first.succeed("pth_start_session", { pluginPath: path });
  const branch = branchOf(started);
  await first.succeed("pth_provision_environment", { runtime: "host" });
  t.match((await first.succeed("pth_run_iteration")).data, { state: "awaiting_fixes", iteration: 1 });
  const fix = (test: string, find: string, replace: string) => ({
    tests: [test],
    title: `mend ${test}`,
    edits: [{ path: "sums.mjs", find, replace }],
  });
  const one = await first.succeed("pth_run_iteration", { fixes: [fix("adds", "a - b", "a + b")] });
  t.match(one.data, { iteration: 1, convergence: { trend: "improving" } });
  const checkpoint = git(path, "log", "-1", "--format=%B", branch);
  t.match(checkpoint, /after iteration 1[^]*PTH-Iteration: 1\nPTH-Type: state-checkpoint/);
  await first.kill();

  const second = await startPth(t, world);
  const resumed = await second.succeed("pth_resume_session", { branch, provision: true });
  t.match(resumed.data, { iteration: 1, trend: "improving", commits: { fixes: 1 }, degraded: [] });
  const { standing } = resumed.data as unknown as ResumedSession;
  t.match(standing?.failing.map(({ name, category }) => ({ name, category })), [
    { name: "doubles", category: "wrong-output" },
  ]);
  t.match(resumed.text, "which is iteration 2");
  t.equal(
    (await second.succeed("pth_list_tests")).data["total"],
    standing?.total,
    "generated tests are made again",
  );
  t.match((await second.succeed("pth_get_iteration_status")).data, {
    iteration: 1,
    records: [{ number: 1 }],
  });
  const two = await second.succeed("pth_run_iteration", { fixes: [fix("doubles", "a * 3", "a * 2")] });
  t.match(two.data, { state: "green", iteration: 2 });
  const ended = await second.succeed("pth_end_session");
  t.match(ended.data, { branchKept: true });
  const log = git(
    path,
    "log",
    "--reverse",
    "--format=%(trailers:key=PTH-Type,valueonly,separator=)",
    `main..${branch}`,
  );
  t.match(log, /^fix\nstate-checkpoint\nfix\nstate-checkpoint\n/);
  t.match(
    git(path, "show", `${branch}:.pth/SESSION-REPORT.md`),
    /mend adds[^]*mend doubles|mend doubles[^]*mend adds/,
  );
});

t.test("without a state that can be read, what the commits tell is enough to go on", async (t) => {
  const world = await temporaryFolder(t);
  const path = await writePlugin(join(world, "mono/packages/adder"));
  const top = join(world, "mono");
  commitAll(top);
  const first = await startPth(t, world);
  const { started } = await beginAndFix(first, path);
  const branch = branchOf(started);
  await first.kill();
  const state = "packages/adder/.pth/session-state.json";
  const spoil = async (how: (text: string) => string | undefined) => {
    git(top, "worktree", "add", "--quiet", "--force", join(world, "hand"), branch);
    const text = how(await readFile(join(world, "hand", state), "utf8").catch(() => ""));
    if (text === undefined) await rm(join(world, "hand", state));
    else await writeFile(join(world, "hand", state), text);
    git(join(world, "hand"), "add", "--all");
    git(join(world, "hand"), "commit", "--quiet", "--allow-empty", "--message=spoil");
    git(top, "worktree", "remove", "--force", join(world, "hand"));
  };
  const pth = await startPth(t, world);
  const anew = await pth.succeed("pth_start_session", { pluginPath: path });
  t.match(anew.text, `There is branch ${branch} (2 commits) and worktree ${worktreeOf(started)} of session`);
  t.match(anew.text, `pth_resume_session({ branch: "${branch}" })`);
  await pth.succeed("pth_end_session");
  const cases: [string, (text: string) => string | undefined, RegExp][] = [
    ["half written", (text) => text.slice(0, text.length / 2), /no whole JSON text/],
    ["from a newer PTH", () => '{"version": 7}', /a newer PTH wrote it \(version 7\)/],
    ["missing", () => undefined, /the branch has no packages\/adder\/\.pth\/session-state\.json/],
  ];
  for (const [name, how, words] of cases) {
    await spoil(how);
    const answer = await pth.succeed("pth_resume_session", { branch, pluginPath: path });
    t.match(answer.data, { commits: { fixes: 1 }, tests: 2, degraded: [words] }, name);
    t.notOk("standing" in answer.data, "no result is made up");
    t.match(answer.text, /tell of 1 fix/);
    t.equal((answer.data as unknown as ResumedSession).session.source.subfolder, "packages/adder");
    t.match(await pth.succeed("pth_end_session"), { data: { branchKept: true } });
  }
});

t.test("secrets are not in the state: they are asked for by name before the plugin is loaded", async (t) => {
  const world = await temporaryFolder(t);
  const path = await writePlugin(join(world, "adder"));
  commitAll(path);
  const first = await startPth(t, world);
  const branch = branchOf(
    await first.succeed("pth_start_session", { pluginPath: path, build: "echo built" }),
  );
  await first.succeed("pth_provision_environment", { runtime: "host" });
  await first.succeed("pth_load_plugin", { configValues: { API_TOKEN: "hunter-22-hunter" } });
  const edits = [{ path: "sums.mjs", find: "a - b", replace: "a + b" }];
  await first.succeed("pth_apply_fix", { tests: ["adds"], title: "add (not hunter-22-hunter)", edits });
  await first.kill();

  const second = await startPth(t, world);
  const resumed = await second.succeed("pth_resume_session", { branch, provision: true });
  t.match(resumed.data, { environment: { config: { runtime: "host" } }, degraded: [] });
  t.notOk("plugin" in resumed.data);
  t.match(
    resumed.text,
    'Next: pth_load_plugin({ configValues: { "API_TOKEN": … } }); then pth_run_test_suite({})',
  );
  const state = JSON.parse(git(path, "show", `${branch}:.pth/session-state.json`));
  t.match(state, { withheld: ["API_TOKEN"], target: { build: "echo built" } });
  t.notMatch(git(path, "log", "-p", "--all"), "hunter-22-hunter");
  await second.succeed("pth_load_plugin", { configValues: { API_TOKEN: "hunter-22-hunter" } });
  await second.succeed("pth_end_session");
});

t.test("what cannot be resumed is refused with what to do; nothing of it changes", async (t) => {
  const world = await temporaryFolder(t);
  const path = await writePlugin(join(world, "adder"));
  commitAll(path);
  git(path, "branch", "feature");
  const first = await startPth(t, world);
  const { started } = await beginAndFix(first, path);
  const branch = branchOf(started);
  const other = await startPth(t, world);

  const alive = await other.refused("SESSION_LOCKED", "pth_resume_session", { branch });
  t.match(alive, "force: true");
  await first.refused("SESSION_ACTIVE", "pth_resume_session", { branch });
  t.match(
    (await first.succeed("pth_list_tests")).data,
    { total: 2 },
    "the session that is alive was not touched",
  );
  await first.kill();

  const mistyped = await other.refused("INVALID_INPUT", "pth_resume_session", {
    branch: branch.replace("adder", "addr"),
    pluginPath: path,
  });
  t.match(mistyped, branch, "the nearest name is offered");
  const none = await other.refused("INVALID_INPUT", "pth_resume_session", {
    branch: "feature",
    pluginPath: path,
  });
  t.match(none, "none of its commits was made by a PTH session");
  await other.refused("TARGET_NOT_FOUND", "pth_resume_session", { branch, pluginPath: join(world, "moved") });
  const unknown = await other.refused("INVALID_INPUT", "pth_resume_session", { branch: "pth/nobody-knows" });
  t.match(unknown, "pluginPath");

  const hand = join(world, "by hand");
  git(path, "worktree", "remove", "--force", worktreeOf(started));
  git(path, "worktree", "add", "--quiet", hand, branch);
  const held = await other.refused("INVALID_INPUT", "pth_resume_session", { branch });
  t.match(held, `checked out in ${hand}`);
  git(path, "worktree", "remove", hand);
  git(path, "checkout", "--quiet", branch);
  t.match(await other.refused("INVALID_INPUT", "pth_resume_session", { branch }), `checked out in ${path}`);
  git(path, "checkout", "--quiet", "main");
  t.equal(git(path, "worktree", "list").trim().split("\n").length, 1);
  t.equal(git(path, "status", "--porcelain"), "?? .pth/active-session.lock\n", "the dead one's lock alone");
  t.match((await other.succeed("pth_resume_session", { branch })).data, { commits: { fixes: 1 } });
});

t.test("a plugin without git: its fixes outlive the kill and pth clean, and the session goes on", async (t) => {
  const world = await temporaryFolder(t);
  const path = await writePlugin(join(world, "adder"));
  const first = await startPth(t, world);
  await beginAndFix(first, path);
  const { branch } = (await first.succeed("pth_diff_session")).data as { branch?: string };
  await first.kill();
  const [repository] = await readdir(join(world, "home/repositories"));
  const own = join(world, "home/repositories", repository!);
  const name = branch ?? git(own, "for-each-ref", "--format=%(refname:short)", "refs/heads").trim();
  const clean = cleanUp(world);
  t.match(clean, new RegExp(`branch ${name}.*holds 2 commits`), "fix and checkpoint");

  const second = await startPth(t, world);
  const resumed = await second.succeed("pth_resume_session", {
    branch: name,
    pluginPath: path,
    provision: true,
  });
  t.match(resumed.data, { commits: { fixes: 1 }, degraded: [], standing: { total: 2 } });
  t.match((await second.succeed("pth_run_test_suite")).data, { summary: { passed: 1, failed: 1 } });
  await second.succeed("pth_apply_fix", {
    tests: ["doubles"],
    title: "double",
    edits: [{ path: "sums.mjs", find: "a * 3", replace: "a * 2" }],
  });
  t.match((await second.succeed("pth_end_session")).data, { branchKept: true, leftBehind: [] });
  t.match(git(own, "log", "--format=%s", name), /fix: double[^]*fix: add instead/);
  t.strictSame(await readdir(join(world, "worktrees")), []);
});

function cleanUp(world: string): string {
  const [command, ...args] = pthCommandLine("cli", "clean");
  return execFileSync(command, args, {
    encoding: "utf8",
    env: { ...process.env, PTH_HOME: join(world, "home"), PTH_WORKTREE_DIR: join(world, "worktrees") },
  });
}

t.test("what was measured outlives a kill, and says of which commit it is; so do results older than a fix", async (t) => {
  const world = await temporaryFolder(t);
  const path = await writePlugin(join(world, "adder"));
  commitAll(path);
  const first = await startPth(t, world);
  const { started } = await beginAndFix(first, path);
  await first.succeed("pth_run_performance_suite", { calls: 2 });
  const verified = await first.succeed("pth_verify_cross_distro", {
    images: ["docker:example/none:1"],
    force: true,
    scope: "all",
  });
  t.match(verified.data, { state: "awaiting_fixes", at: "host" });
  await first.kill();

  const second = await startPth(t, world);
  const resumed = await second.succeed("pth_resume_session", { branch: branchOf(started) });
  const { standing } = resumed.data as unknown as ResumedSession;
  t.match(standing, { total: 2 });
  const figures = await second.succeed("pth_get_performance_report", { detail: true });
  t.match(figures.data, { calls: 2, tools: [{ responseMs: { count: 2 } }, {}] });
  t.notMatch(figures.text, "older than the branch");
  await second.succeed("pth_apply_fix", {
    tests: ["doubles"],
    title: "double instead of tripling",
    edits: [{ path: "sums.mjs", find: "a * 3", replace: "a * 2" }],
  });
  t.match(
    (await second.succeed("pth_get_performance_report")).text,
    /of commit \w{10}, 1 fix older than the branch/,
  );
  const end = await second.succeed("pth_end_session");
  t.match(end.text, "Tests: No test was run.");
  const report = git(path, "show", `${branchOf(started)}:.pth/SESSION-REPORT.md`);
  t.match(
    report,
    /Before the session was interrupted: 1 of 2 tests fails.* of commit \w{10}, (up to )?1 fix older/,
  );
  t.match(report, /## Distributions\n\n1 test fails on host; not tested yet: docker:example\/none:1/);
  t.match(report, /## Distributions[^]*of commit \w{10}, 1 fix older than the branch/);
});
