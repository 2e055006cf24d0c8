// test: timeout=180
/** Fixtures with a program as the agent: how a project is set up, checked and torn down, in real environments. */
import { join } from "node:path";
import t, { type Test } from "tap";
import type { FixtureRunReport, TestReport } from "../../../src/agent_fixtures/report/report_schema.ts";
import { mkdir, writeTextFile } from "../../../src/platform/files.ts";
import { gitOutput } from "../../../src/git/git.ts";
import sandbox from "../../../src/runtimes/sandbox.ts";
import { openCliTurns } from "../../support/cli_turns.ts";
import { makePlace, namesIn, type Place } from "../../support/pth_run.ts";

const turns = openCliTurns();
t.teardown(() => turns.close());

/** Program that writes a file, and asks no model. */
const agent = "cat kept.txt sub/x > made.txt 2>&1; echo done";

const branch = "test/beds/empty";

async function write(folder: string, files: Record<string, string>): Promise<void> {
  for (const [path, text] of Object.entries(files)) {
    await mkdir(join(folder, path, ".."), { recursive: true });
    await writeTextFile(join(folder, path), text);
  }
}

/** A repository with a fixture whose tests begin with a branch that is frozen. */
async function repository(
  place: Place,
): Promise<{ folder: string; git: (...args: string[]) => Promise<string> }> {
  const folder = join(place.folder, "garden");
  const git = (...args: string[]) =>
    gitOutput(folder, ["-c", "user.name=a", "-c", "user.email=a@localhost", ...args]);
  await write(folder, {
    ".claude-plugin/plugin.json": '{ "name": "garden" }',
    "kept.txt": "of the branch\n",
    "sub/x": "x\n",
  });
  await git("init", "-q", "-b", "main");
  await git("add", "-A");
  await git("commit", "-q", "-m", "one");
  await git("branch", branch);
  const commit = (await git("rev-parse", "HEAD")).trim();
  await write(folder, {
    "kept.txt": "changed since\n",
    "beds/laid.txt": "laid\n",
    "beds/fixture.yaml": `name: beds
branches: { ${branch}: { commit: ${commit} } }
setup: { branch: empty, files: [{ src: laid.txt, dest: in/laid.txt }] }
execution: { agent: command, playbook: { turns: [{ text: unused, optional: true }] } }
`,
    "beds/checks/made.mjs": `import { existsSync, readFileSync } from "node:fs";
const { format, trace } = JSON.parse(readFileSync(0, "utf8"));
const pass = format === "pth-observed-session/1" && existsSync("made.txt") && !existsSync("checks") &&
  trace.changes.some(({ path, change }) => path === "made.txt" && change === "added");
console.log(JSON.stringify({ pass, reason: "it is not so", actual: trace.changes }));
`,
    "beds/tests/test_a.yaml": `test_id: whole
setup: { commands: ["echo $HOME > home.txt"] }
teardown: { commands: ["test -f made.txt", "echo bad >&2; exit 3"] }
execution: { prompt: go }
expectations:
  - { type: file, expected: { path: made.txt, is: created, content: "of the branch\\nx" } }
  - { type: file, expected: { path: in/laid.txt, is: untouched, content: laid } }
  - { type: git_state, expected: { branch: main, commits: 0, message: Start, clean: false } }
  - { type: command_succeeds, expected: { command: "cat home.txt", stdout: "/home$" } }
  - { type: command_succeeds, expected: { command: "sleep 20", timeout_ms: 100 } }
  - { type: custom_code, expected: { file: checks/made.mjs } }
  - { type: custom_code, expected: { language: shell, code: "grep -q made.txt || exit 3; exit 4" } }
---
test_id: broken
setup: { commands: ["echo no >&2; exit 7"] }
execution: { prompt: go }
expectations:
  - { type: file, expected: { path: made.txt } }
`,
  });
  return { folder, git };
}

async function run(t: Test, place: Place, folder: string, env: string): Promise<Map<string, TestReport>> {
  const words = [
    "agent",
    "test",
    folder,
    "--env",
    env,
    "--agent",
    "command",
    "--agent-command",
    agent,
    "--json",
  ];
  const { code, stdout, stderr } = await turns.run(words, { env: place.env });
  t.equal(code, 1, stderr);
  t.strictSame(await namesIn(join(place.folder, "worktrees")), [], "no worktree is left");
  const report = JSON.parse(stdout) as FixtureRunReport;
  return new Map(report.fixtures.flatMap(({ tests }) => tests).map((test) => [test.meta.test_id, test]));
}

const { ready } = await sandbox.probe();
for (const env of ready ? ["host", "sandbox"] : ["host"]) {
  t.test(`in ${env} a test begins with its branch, files and commands, and ends with its teardown`, async (t) => {
    const place = await makePlace(t);
    const { folder, git } = await repository(place);
    const tests = await run(t, place, folder, env);
    const { expectations } = tests.get("whole")!;
    t.strictSame(expectations.map(({ status }) => status), [
      ...["pass", "pass", "pass", "pass", "fail"],
      ...["pass", "fail", "fail"],
    ]);
    t.match(expectations[4]!.failure_reason, /it took more than 0\.1 s/);
    t.match(expectations[5]!.actual, { exit_code: 0, told: [{ path: "made.txt", change: "added" }] });
    t.match(expectations[6]!.failure_reason, /^it ended with 4/, "its session came on stdin");
    t.match(expectations[7]!.failure_reason, /teardown: `echo bad >&2; exit 3` exited with 3: bad$/);
    t.match(tests.get("broken")!.expectations, [
      { failure_reason: "not judged: there was no session" },
      { failure_reason: "Cannot set up the project: `echo no >&2; exit 7` exited with 7: no" },
    ]);
    if (env !== "host") return;
    await git("branch", "-f", branch, (await git("commit-tree", "HEAD^{tree}", "-m", "moved")).trim());
    for (const test of (await run(t, place, folder, env)).values()) {
      t.match(test.expectations.at(-1)!.failure_reason, /the branch test\/beds\/empty has moved: it is at/);
    }
  });
}
