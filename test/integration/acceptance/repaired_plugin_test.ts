// test: timeout=400
/**
 * The broken plugin repaired in one session, driven as Claude Code drives it: a real MCP client from `pth_start_session`
 * to `pth_end_session`, and then what is left, without PTH.
 */
import { mkdir, mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import t, { type Test } from "tap";
import { runCommand } from "../../../src/platform/process.ts";
import { copyFixture } from "../../support/fixture_plugin.ts";
import { openSessionClient } from "../../support/session_client.ts";

t.setTimeout(400_000);

interface Group {
  category: string;
  cause: string;
  testIds: string[];
  place?: { path: string; line: number };
}

/** What a person would write for each category, having read the diagnosis. */
const repairs: Record<string, { title: string; find: RegExp; replace: string }> = {
  "runtime-exception": {
    title: "answer instead of throwing when the answer is out",
    find: /call: \(\) => \{\n {6}\/\/ The handler[\s\S]*?\n {4}\},/,
    replace: "call: ({ text }) => say(`indexed ${text}`),",
  },
  "schema-violation": {
    title: "measure in numbers and tell the language",
    find: /const measured = .*;/,
    replace: 'const measured = { length: text.length, language: "und" };',
  },
  "dependency-error": {
    title: "render the table without a package",
    find: /call: async \(\{ text \}\) => \{[\s\S]*?\n {4}\},/,
    replace: "call: ({ text }) => say(`| ${text} |`),",
  },
  "timeout": {
    title: "answer from an empty archive",
    find: /call: \(\) => new Promise\(\(\) => \{\}\),/,
    replace: "call: ({ text }) => say(`nothing about ${text}`),",
  },
};

function fixOf({ category, testIds }: Group, source: string) {
  const { title, find, replace } = repairs[category]!;
  const [old] = find.exec(source)!;
  return { tests: testIds, category, title, edits: [{ path: "index.mjs", find: old, replace }] };
}

t.test("a client mends every fault by a commit each, and the branch stands on its own", async (t) => {
  const client = await openSessionClient(t);
  const plugin = await copyFixture("broken_plugin", client.folder, "archives");
  const names = ["index.mjs", "package.json", "modelcontextprotocol-sdk.tgz"];
  const files = Object.fromEntries(
    await Promise.all(names.map(async (name) => [name, await readFile(join(plugin, name))] as const)),
  );
  if (!await client.begin(t, files, "sandbox")) return;
  const source = String(files["index.mjs"]);
  await client.succeed(t, "pth_generate_tests");

  const awaiting = await client.succeed(t, "pth_run_iteration", { timeoutSeconds: 1 });
  t.equal(awaiting.data.state, "awaiting_fixes");
  const { groups } = (awaiting.data as { diagnosis: { groups: Group[] } }).diagnosis;
  t.same(
    groups.map(({ category }) => category).sort(),
    Object.keys(repairs).sort(),
    "one group for each fault",
  );
  t.ok(groups.every(({ place }) => place?.path === "index.mjs"), "each with its place");

  const fixes = groups.map((group) => fixOf(group, source));
  const mended = await client.succeed(t, "pth_run_iteration", { fixes, timeoutSeconds: 1 });
  t.equal(mended.data.state, "green", mended.text);
  t.match(mended.data, { convergence: { trend: "green" }, standing: { failing: [] } });
  const status = await client.succeed(t, "pth_get_iteration_status");
  t.match(status.data, {
    iteration: 1,
    records: [{ number: 1, fixes: fixes.map(({ title }) => ({ title })) }],
  });
  const history = await client.succeed(t, "pth_get_fix_history", { iteration: 1 });
  t.equal((history.data.commits as { type: string }[]).filter(({ type }) => type === "fix").length, 4);

  await client.succeed(t, "pth_export_ci");
  const ended = await client.succeed(t, "pth_end_session");
  const { branch, repository, report } = ended.data as Record<string, string>;
  t.equal(report, ".pth/SESSION-REPORT.md");
  await checkBranch(t, repository!, branch!, groups);
  await checkAlone(t, repository!, branch!);
});

async function git(folder: string, ...args: string[]): Promise<string> {
  const identity = ["-c", "user.name=Ada", "-c", "user.email=ada@example.com"];
  const { code, stdout, stderr } = await runCommand(["git", "-C", folder, ...identity, ...args]);
  if (code !== 0) throw new Error(`git ${args.join(" ")}: ${stderr}`);
  return stdout.trim();
}

async function checkBranch(t: Test, repository: string, branch: string, groups: Group[]): Promise<void> {
  const trailer = (key: string) => `%(trailers:key=${key},valueonly,separator=%x2C)`;
  const format = `--format=%s|${
    ["PTH-Type", "PTH-Category", "PTH-Files", "PTH-Iteration"].map(trailer).join("|")
  }`;
  const log = (await git(repository, "log", "--reverse", format, `main..${branch}`)).split("\n");
  const fixes = log.filter((line) => line.includes("|fix|"));
  t.same(
    fixes,
    groups.map(({ category }) => `fix: ${repairs[category]!.title}|fix|${category}|index.mjs|1`),
    "one commit for each root cause, its trailers say for what",
  );
  const tests = await git(
    repository,
    "log",
    "--format=%(trailers:key=PTH-Test,valueonly)",
    `main..${branch}`,
  );
  for (const tool of ["crash_on_call", "wrong_output", "missing_import", "never_answers"]) {
    t.match(tests, tool);
  }
  const files = (await git(repository, "ls-tree", "-r", "--name-only", branch)).split("\n");
  for (const file of [".pth/SESSION-REPORT.md", ".pth/ci/run-tests.mjs", ".github/workflows/pth-tests.yml"]) {
    t.ok(files.includes(file), file);
  }
  t.ok(files.some((file) => file.startsWith(".pth/tests/")), "the suite");
  const report = await git(repository, "show", `${branch}:.pth/SESSION-REPORT.md`);
  t.match(report, "All tests pass");
  t.match(report, /\| start \|.*\n\| 1 \|/, "the way to green");
  t.equal(await git(repository, "status", "--porcelain"), "", "the author's checkout is as it was");
}

/** What is left needs no PTH: in a folder of its own the suite passes, and fails once a fix is gone. */
async function checkAlone(t: Test, repository: string, branch: string): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), "pth-alone-"));
  t.teardown(() => rm(folder, { recursive: true, force: true }));
  const alone = join(folder, "plugin");
  await mkdir(alone);
  await git(folder, "clone", "-q", "--branch", branch, repository, alone);
  for (const prefix of [alone, join(alone, ".pth/ci")]) {
    const { code, stderr } = await runCommand(["npm", "install", "--no-audit", "--no-fund"], { cwd: prefix });
    t.equal(code, 0, stderr);
  }
  const exported = () =>
    runCommand(["node", ".pth/ci/run-tests.mjs"], { cwd: alone, env: { NODE_PATH: "" } });
  const green = await exported();
  t.equal(green.code, 0, green.stdout + green.stderr);
  const fix = await git(alone, "log", "--format=%H", "--grep=PTH-Category: schema-violation", branch);
  await git(alone, "revert", "--no-edit", fix);
  const red = await exported();
  t.equal(red.code, 1, red.stdout);
  t.match(red.stdout, "wrong_output");
}
