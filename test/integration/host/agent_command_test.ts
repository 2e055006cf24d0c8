// test: timeout=180
/** A program of the user's as the agent, by each model API, on the host and in a sandbox. */
import { join } from "node:path";
import t from "tap";
import type { AgentSessionResult, TraceEntry } from "../../../machines/model/agent_session.ts";
import { mkdir, writeTextFile } from "../../../src/platform/files.ts";
import { runCommand } from "../../../src/platform/process.ts";
import sandbox from "../../../src/runtimes/sandbox.ts";
import { openCliTurns } from "../../support/cli_turns.ts";
import { copyFixture } from "../../support/fixture_plugin.ts";
import { makePlace, namesIn, root } from "../../support/pth_run.ts";

const turns = openCliTurns();
t.teardown(() => turns.close());

const place = await makePlace(t);
const plugin = await copyFixture("agent_plugin", place.folder);
const playbook = join(place.folder, "playbook.yaml");
await writeTextFile(
  playbook,
  `turns:
  - text: I look.
    expect: { tools: [find, order], prompt: 'a "rose", $HOME' }
    calls: [{ tool: find, input: { name: rose } }, { tool: find, input: { name: oak } }]
  - bind: { id: { tool: find, path: $.id } }
    calls: [{ tool: order, input: { id: $id } }]
  - text: Ordered.
    expect: { result: { tool: order, text: ordered number 7 } }
`,
);

/** The result of a session whose agent is this command line. */
async function session(env: string, line: string, ...more: string[]) {
  const { code, stdout, stderr } = await turns.run([
    ...["agent", "run", plugin, 'a "rose", $HOME', "--agent", "command", "--agent-command", line],
    ...["--agent-folder", join(root, "test/fixtures/agents/small"), "--playbook", playbook],
    ...["--env", env, "--json", ...more],
  ], { env: place.env });
  t.strictSame(await namesIn(join(place.folder, "worktrees")), [], "no worktree is left");
  return { code, stderr, result: JSON.parse(stdout || "{}") as AgentSessionResult };
}

const { ready } = await sandbox.probe();

const callsIn = ({ trace }: AgentSessionResult) =>
  trace.timeline.filter((entry): entry is Extract<TraceEntry, { type: "tool_call" }> =>
    entry.type === "tool_call"
  ).map(({ tool, input, result, is_error }) => [tool, input, result, is_error]);

t.test("a program that asks by Gemini's API is seen whole", async (t) => {
  const { code, result, stderr } = await session("host", 'node "$PTH_AGENT/agent.mjs" gemini');
  t.equal(code, 0, `${stderr}${JSON.stringify(result)}`);
  t.match(result, { agent: "command", failures: [], played: 3 });
  t.strictSame(callsIn(result), [
    ["find", { name: "rose" }, '{"id":7,"name":"rose"}', false],
    ["find", { name: "oak" }, "there is no oak", true],
    ["order", { id: 7 }, "ordered number 7", false],
  ]);
  t.match(result.trace.timeline[0], { type: "prompt", text: 'a "rose", $HOME' });
  t.match(result.trace.timeline.at(-1), { type: "end", text: "I look.\nOrdered." });
  t.match(result.trace.changes, [{ path: "done.txt", change: "added" }]);
});

t.test("OpenAI's two APIs give the same trace, on the host and without network, by argument and stdin", async (t) => {
  const chat = await session("host", 'node "$PTH_AGENT/agent.mjs" chat');
  const env = ready ? "sandbox" : "host";
  const network = ready ? ["--network", "none"] : [];
  const responses = await session(env, 'node "$PTH_AGENT/agent.mjs" responses', "--agent-stdin", ...network);
  for (const { code, result, stderr } of [chat, responses]) {
    t.equal(code, 0, `${stderr}${JSON.stringify(result)}`);
    t.strictSame(callsIn(result), [
      ["find", { name: "rose" }, '{"id":7,"name":"rose"}', undefined],
      ["find", { name: "oak" }, "there is no oak", undefined],
      ["order", { id: 7 }, "ordered number 7", undefined],
    ]);
  }
  t.strictSame(responses.result.trace, chat.result.trace);
});

t.test("a program that is not there, and asks for nothing, is a failure with its last words", async (t) => {
  const { code, result } = await session("host", "no-such-agent --now");
  t.equal(code, 1);
  t.match(result.failures, [
    /turns 1, 2, 3 not played/,
    /^command ended with exit code 127: .*no-such-agent/,
  ]);
});

t.test("the project's git is told before and after, the same for two sessions that went the same way", async (t) => {
  const project = join(place.folder, "repository");
  await mkdir(project);
  const run = (script: string) => runCommand(["sh", "-ec", script], { cwd: project });
  const who = "git -c user.name=a -c user.email=a@example.com";
  const made = await run(
    `git init -q -b main; echo a > kept.txt; echo b > gone.txt; git add .; ${who} commit -qm First; echo c >> kept.txt`,
  );
  t.equal(made.code, 0, made.stderr);
  const commit = (await run("git rev-parse HEAD")).stdout.trim();
  const work = `set -e; git checkout -qb work; echo "$RANDOM" > "new file.txt"; git add "new file.txt"; ` +
    `${who} commit -qm "Add in $PWD"; rm gone.txt; git config core.fsmonitor "touch $PWD/spied"; `;
  const line = (more: string) => `${work}${more}node "$PTH_AGENT/agent.mjs" chat`;
  const first = await session("host", line(""), "--project", project);
  const second = await session(ready ? "sandbox" : "host", line("sleep 1; "), "--project", project);
  t.equal(first.code, 0, `${first.stderr}${JSON.stringify(first.result)}`);
  const change = (path: string, change: string) => ({ path, change });
  t.strictSame(first.result.trace.git, {
    before: { branch: "main", commit, modified: [change("kept.txt", "changed")] },
    after: {
      branch: "work",
      commit: "<commit>",
      modified: [change("done.txt", "added"), change("gone.txt", "removed"), change("kept.txt", "changed")],
    },
    commits: ["Add in <project>"],
  });
  t.strictSame(second.result.trace, first.result.trace);
  t.strictSame(first.result.trace.warnings, []);
  const untouched = await run("git status --porcelain; git log --format=%s; ls");
  t.match(
    untouched.stdout,
    /^ M kept\.txt\nFirst\ngone\.txt\nkept\.txt\n$/,
    "the project itself stays as it was",
  );
});

t.test("a repository that git cannot read is a warning", async (t) => {
  const line = 'mkdir .git; node "$PTH_AGENT/agent.mjs" chat';
  const { code, result } = await session("host", line);
  t.equal(code, 0);
  t.match(result.trace.warnings, [/the state of git in the project is not known: fatal: /]);
  t.equal(result.trace.git, undefined);
});

t.test("an agent that waits for a person, or never asks its model, is stopped, with what it shows", async (t) => {
  const shown = {
    trust: "Do you trust the files in this folder?",
    permission: "Do you want to proceed? [y/n]",
    nothing: "Reading.",
  };
  for (const [kind, words] of Object.entries(shown)) {
    const line = `printf '\\033[1m%s\\033[0m\\n' '${words}' >&2; sleep 1000; :`;
    const { code, result } = await session("host", line, "--timeout", "2");
    t.equal(code, 1);
    t.equal(result.stopped, kind === "nothing" ? "silent" : "asking");
    const reason = kind === "nothing"
      ? /within 2 s; (?:hung: .*sleep \(\d+\) sleeps for \d+ s more|it may wait for a login, a permission or its servers)/
      : `command was stopped: it waits for a person (${kind}): "${words}"; start it so that it asks nobody`;
    t.match(result.failures.at(-1), reason);
  }
  t.notMatch((await runCommand(["ps", "-eo", "args"])).stdout, place.folder, "they are gone");
});

t.test("an agent whose way to the model is lost fails at once, and is told why", {
  skip: ready ? false : "no sandbox can be made here",
}, async (t) => {
  // The relay is the one process of Node there.
  const line = `kill -KILL $(grep -al "^node" /proc/[0-9]*/cmdline | cut -d/ -f3); sleep 1000; :`;
  const { code, stderr } = await session("sandbox", line, "--network", "none");
  t.equal(code, 3);
  t.match(
    stderr,
    /Cannot reach port \d+ of this machine from the environment any more: its relay inside was lost/,
  );
});
