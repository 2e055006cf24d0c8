import { join } from "node:path";
import t, { type Test } from "tap";
import { runCli } from "../../../src/cli/main.ts";
import { renderAgentSession } from "../../../src/cli/agent/render_agent_session.ts";
import { mkdir, writeTextFile } from "../../../src/platform/files.ts";
import { temporaryFolder } from "../../support/temporary_folder.ts";
import { keptContext, scriptedHarness } from "./scripted_harness.ts";

async function pth(...args: string[]) {
  const played = scriptedHarness();
  const kept = keptContext(played);
  const exitCode = await runCli(["agent", ...args], kept.context);
  return { exitCode, stdout: kept.stdout(), stderr: kept.stderr(), calls: played.calls };
}

/** The one problem of a command line that is wrong. */
async function problemOf(t: Test, ...args: string[]): Promise<string> {
  const { exitCode, stderr, calls } = await pth(...args);
  t.equal(exitCode, 2, args.join(" "));
  t.strictSame(calls, []);
  return stderr;
}

async function playbookIn(t: Test, text: string): Promise<string> {
  const file = join(await temporaryFolder(t), "playbook.yaml");
  await writeTextFile(file, text);
  return file;
}

t.test("everything that is wrong with the command line is told at once, and nothing starts", async (t) => {
  const { exitCode, stderr, calls } = await pth(
    "run",
    ...[
      "--agent",
      "clod",
      "--timeout",
      "soon",
      "--project",
      "/nowhere",
      "--trace",
      "/etc/hostname/t",
    ],
  );
  t.equal(exitCode, 2);
  for (
    const problem of [
      "name a plugin: pth agent run <plugin>",
      "give a prompt after the plugin",
      "--playbook: name a file",
      '--agent: expected one of claude, codex, opencode, gemini, qwen, pi, command, not "clod"',
      "--timeout expects a number",
      "--project: there is no folder /nowhere",
      "--trace: cannot write /etc/hostname/t",
    ]
  ) t.match(stderr, problem);
  t.strictSame(calls, []);
  t.equal((await pth("dance")).exitCode, 2);
  const program = await pth("run", "x", "go", "--agent", "command", "--agent-folder", "/nowhere");
  t.match(program.stderr, '--agent-command: give the program, such as "node agent.mjs"');
  t.match(program.stderr, "--agent-folder: there is no folder /nowhere");
  const claude = await pth("run", "x", "go", "--agent-command", "x", "--agent-stdin");
  t.match(claude.stderr, "--agent-command is for --agent command");
  t.match(claude.stderr, "--agent-stdin is for --agent command");
  const pinned = await pth("run", "x", "go", "--agent", "command", "--agent-version", "1.2.3");
  t.match(pinned.stderr, "--agent-version is for agents that npm has");
});

t.test("a playbook with mistakes is told with their places, and nothing starts", async (t) => {
  const file = await playbookIn(t, "turns:\n  - txt: a\n  - delay_ms: x\n");
  const folder = await temporaryFolder(t);
  const { exitCode, stderr, calls } = await pth("run", folder, "go", "--playbook", file, "--env", "host");
  t.equal(exitCode, 2);
  t.match(stderr, `${file}:2:5 turns[0]: unknown key "txt"`);
  t.match(stderr, `${file}:3:15 turns[1].delay_ms: expected a number`);
  t.strictSame(calls, []);
});

t.test("a recording needs an address and a key by its name, and overwrites nothing", async (t) => {
  const folder = await temporaryFolder(t);
  const upstream = ["--upstream", "https://api.example.com"];
  const record = (...args: string[]) => problemOf(t, "record", folder, "go", "--env", "host", ...args);
  const free = ["--out", join(folder, "new.yaml")];
  t.match(await record(...free), "--upstream: give the address of the real model API");
  t.match(await record(...free, "--upstream", "https://u:p@api.example.com"), "a user or a password");
  t.match(
    await record(...free, ...upstream, "--upstream-key", "PTH_TEST_NO_KEY"),
    "--upstream-key: PTH_TEST_NO_KEY is not set in the environment",
  );
  const given = await record(...free, ...upstream, "--upstream-key", "sk-live-123");
  t.match(given, "--upstream-key expects the name of an environment variable, not the key itself");
  t.notMatch(given, "sk-live-123");
  const file = await playbookIn(t, "turns: [{ text: a }]\n");
  t.match(await record(...upstream, "--out", file), /--out: there is .* already/);
  t.match(await record(...upstream, "--out", "/etc/hostname/a"), "--out: cannot write /etc/hostname/a");
  t.match(await record(...upstream, ...free, "--playbook", file), "--playbook is for pth agent run");
});

t.test("a real model needs its key by name and a budget that can be counted, to run and to record", async (t) => {
  const folder = await temporaryFolder(t);
  const file = await playbookIn(t, "turns: [{ text: a }]\n");
  const wrong = ["--upstream", "https://api.example.com", "--budget-tokens", "1.5", "--budget-cost", "5"];
  for (const more of [["run"], ["record", "--out", join(folder, "new.yaml")]]) {
    const [action = "", ...options] = more;
    const problems = await problemOf(t, action, folder, "go", "--env", "host", ...wrong, ...options);
    t.match(problems, "--upstream-key: name the environment variable that holds the key of api.example.com");
    t.match(problems, '--budget-tokens expects a whole number above 0, not "1.5"');
    t.match(problems, "--budget-cost cannot be counted without prices");
  }
  const run = ["run", folder, "go", "--env", "host", "--playbook", file];
  t.match(await problemOf(t, ...run, "--upstream", "http://127.0.0.1:1"), "a model is one or the other");
  t.match(await problemOf(t, ...run, "--budget-tokens", "5"), "--budget-tokens is for a real model");
  const replay = await problemOf(t, "replay", folder, file, "--env", "host", "--model", "m");
  t.match(replay, "--model is for pth agent run, record");
});

t.test("a replay needs a playbook that was recorded", async (t) => {
  const folder = await temporaryFolder(t);
  const file = await playbookIn(t, "turns: [{ text: a }]\n");
  t.match(await problemOf(t, "replay", folder, "--env", "host"), "name the recorded playbook");
  t.match(await problemOf(t, "replay", folder, file, "--env", "host"), "has no recorded requests");
  t.match(await problemOf(t, "replay", folder, `${file}.no`, "--env", "host"), "there is no file");
  const run = await problemOf(t, "run", folder, "go", "--playbook", file, "--env", "host", "--accept-drift");
  t.match(run, "--accept-drift is for pth agent replay");
});

t.test("evals need a folder, playbooks, and claude for its own runner; mistakes in them start nothing", async (t) => {
  const folder = await temporaryFolder(t);
  const options = ["--by", "me", "--trace", "t", "--runs", "51", "--workers", "0", "--grep", "("];
  const wrong = await problemOf(t, "eval", "npm:x", "go", "--env", "host", ...options);
  t.match(wrong, "npm:x is none");
  t.match(wrong, "eval takes no prompt");
  t.match(wrong, "--playbook: name a file of turns, or a folder");
  t.match(wrong, '--by expects one of pth, agent, not "me"');
  t.match(wrong, "--runs expects at most 50");
  t.match(wrong, "--workers expects a whole number above 0");
  t.match(wrong, "--grep: Invalid regular expression");
  t.match(wrong, "--trace is for pth agent run");
  const file = await playbookIn(t, "turns: [{ text: a }]\n");
  const evals = ["eval", folder, "--playbook", file, "--env", "host"];
  t.match(await problemOf(t, ...evals, "--by", "agent", "--agent", "codex"), "claude alone runs evals");
  t.match(await problemOf(t, ...evals), "evals holds none");
  t.match(
    await problemOf(t, "run", folder, "go", "--playbook", file, "--case", "a", "--runs", "2"),
    /--case is for pth agent eval[^]*--runs is for pth agent eval/,
  );
});

t.test("a new eval needs a folder, a name that is free, and one source of turns; nothing starts", async (t) => {
  const folder = await temporaryFolder(t);
  const file = await playbookIn(t, "turns: [{ text: a }]\n");
  const write = (...args: string[]) => problemOf(t, "new-eval", ...args, "--env", "host");
  t.match(await write("npm:x", "go"), /--playbook: name a file .*or a real model[^]*npm:x is none/);
  t.match(
    await write(folder, "go", "--playbook", file, "--name", "../a"),
    /"\.\.\/a" is no name of a folder/,
  );
  t.match(
    await write(folder, "go", "--playbook", file, "--upstream", "https://api.example.com", "--runs", "2"),
    /--runs is for pth agent eval[^]*--playbook and --upstream: a model is one or the other/,
  );
  await mkdir(join(folder, "evals/find-a-rose"), { recursive: true });
  t.match(await write(folder, "Find a rose!", "--playbook", file), "there is evals/find-a-rose already");
});

t.test("list tells which agents are here, or why not", async (t) => {
  const { exitCode, stdout } = await pth("list", "--json");
  t.equal(exitCode, 0);
  const found = JSON.parse(stdout) as { name: string; abilities: { loads: string[] } }[];
  t.strictSame(found.map(({ name }) => name), [
    "claude",
    "codex",
    "opencode",
    "gemini",
    "qwen",
    "pi",
    "command",
  ]);
  t.match(found[0], { abilities: { loads: ["servers", "commands", "skills", "subagents", "hooks"] } });
  t.match(found.at(-1), { abilities: { loads: [] }, cached: [] });
  const { stdout: text } = await pth("list");
  t.match(text, "loads servers, skills; not commands, subagents, hooks; asks by the API OpenAI Responses");
  t.match(text, "loads nothing of a plugin; asks by any model API");
});

t.test("a session is shown turn by turn, with what failed, and no control characters", (t) => {
  const text = renderAgentSession({
    agent: "claude",
    version: "1.2.3",
    exit: { code: 0, signal: null, stderr: "" },
    stopped: undefined,
    played: 2,
    playbook: [],
    failures: ["playbook: lane main: turn 3 not played"],
    spent: { tokens: 1200, cost: 0.01234 },
    drift: [{ subject: "tool find: description", lines: ["- Finds", "+ Se\u001beks"] }],
    trace: {
      format: "pth-agent-trace/1",
      changes: [{ path: "a.txt", change: "added" }],
      git: {
        before: { branch: "main", commit: "1".repeat(40), modified: [] },
        after: { commit: "<commit>", modified: [] },
        commits: ["Add a"],
      },
      warnings: ["a hook failed"],
      timeline: [
        { type: "session", tools: [], commands: [], agents: [], servers: { shop: "failed" } },
        { type: "prompt", text: "go", hooks: [{ event: "SessionStart", failed: "no" }] },
        { type: "turn", lane: "main", text: "I \u001b[31mlook", calls: [] },
        {
          type: "tool_call",
          lane: "main",
          id: "call-1",
          tool: "find",
          input: { a: 1 },
          result: "none",
          is_error: true,
          hooks: [],
        },
        { type: "subagent", lane: "x", id: "call-1", agent: "t", hooks: [] },
        { type: "turn", lane: "x", error: "status 529", calls: [] },
        { type: "end", text: "bye", hooks: [] },
      ],
    },
  });
  t.equal(
    text,
    `claude 1.2.3
server shop: failed
> go  (a hook for SessionStart failed)
  model: I \\u001B[31mlook
  find {"a":1}
    error none
    subagent t
    model: status 529
< bye
Changed in the project:
  added a.txt
Git of the project:
  branch main → no branch
  new commit: Add a
Not as it was recorded:
  tool find: description
    - Finds
    + Se\\u001Beks
Warning: a hook failed
Spent: 1200 tokens, 0.0123
Failed: 2 turns played
  playbook: lane main: turn 3 not played
`,
  );
  t.end();
});
