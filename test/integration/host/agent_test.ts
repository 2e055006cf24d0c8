// test: timeout=180
/** Agents that misbehave, on the host: each is one clear failure, and nothing of them is left. */
import { join } from "node:path";
import t, { type Test } from "tap";
import { mkdir, readTextIfExists, writeFile, writeTextFile } from "../../../src/platform/files.ts";
import { delay } from "../../../src/core/waiting.ts";
import { runCommand } from "../../../src/platform/process.ts";
import { openCliTurns } from "../../support/cli_turns.ts";
import { copyFixture } from "../../support/fixture_plugin.ts";
import { startPth } from "../../support/pth.ts";
import { environmentsIn, makePlace, namesIn, type Place, root } from "../../support/pth_run.ts";
import { noSmallDisks, smallDisk } from "../../support/small_disk.ts";

const turns = openCliTurns();
t.teardown(() => turns.close());

const claude = join(root, "test/fixtures/agents/claude.mjs");

/** Runs an agent with one turn, "Hello"; the agent does as the prompt says. */
async function runAgent(place: Place, prompt: string, ...more: string[]) {
  const playbook = join(place.folder, "playbook.yaml");
  await writeTextFile(playbook, "turns: [{ text: Hello }]\n");
  const args = [
    "agent",
    "run",
    await copyFixture("agent_plugin", place.folder),
    prompt,
    "--env",
    "host",
    "--playbook",
    playbook,
  ];
  const env = { ...place.env, PTH_CLAUDE: claude, PTH_TEST_KEY: "not for agents" };
  return { args: [...args, ...more], env };
}

async function ended(t: Test, prompt: string, ...more: string[]) {
  const place = await makePlace(t);
  const { args, env } = await runAgent(place, prompt, "--json", ...more);
  const { code, stdout, stderr } = await turns.run(args, { env });
  t.strictSame(await namesIn(join(place.folder, "worktrees")), [], "no worktree is left");
  return { code, result: JSON.parse(stdout || "{}"), stderr };
}

t.test("an agent that crashes has failed with its exit code and its last words", async (t) => {
  const { code, result } = await ended(t, "crash");
  t.equal(code, 1);
  t.strictSame(result.failures, ["claude ended with exit code 139: segmentation fault"]);
  t.equal(result.version, "9.8.7");
});

t.test("a version too old for a flag is named with the way out", async (t) => {
  const { code, result } = await ended(t, "too old");
  t.equal(code, 1);
  t.match(result.failures, [
    /turn 1 not played/,
    /unknown option '--include-hook-events'; version 9\.8\.7 does not know .*take another version/,
  ]);
});

t.test("a request beyond the last turn is refused, and named with its gist", async (t) => {
  const { code, result } = await ended(t, "ask twice");
  t.equal(code, 1);
  const dry =
    'lane main has played its turn, and is asked for one more: the main conversation says "ask twice"';
  t.match(result.failures, [
    `playbook: ${dry}; 0 tools offered`,
    /exit code 1: 400 .*lane main has played its turn/,
  ]);
});

t.test("an agent that never asks its model is stopped, and what it may wait for is told", async (t) => {
  const { code, result } = await ended(t, "sleep", "--timeout", "1");
  t.equal(code, 1);
  t.equal(result.stopped, "silent");
  t.match(result.failures, [
    "playbook: lane main: turn 1 not played",
    // In so short a time its processes may not have been inspected.
    /^claude was stopped: it has not asked the model for anything within 1 s; (?:hung: |it may wait for a login, )/,
  ]);
});

t.test("a hook that hangs is named, with what it kept the agent from", async (t) => {
  const { code, result } = await ended(t, "hanging hook", "--timeout", "3");
  t.equal(code, 1);
  t.match(result.failures, [
    "playbook: lane main: turn 1 not played",
    "claude was stopped: it has not asked the model for anything within 3 s; " +
    "its hooks had not ended: SessionStart:startup",
  ]);
});

t.test("an agent has the variables that it is given, PATH and the environment's labels, and no others", async (t) => {
  const { result } = await ended(t, "environment");
  const variables = JSON.parse(result.trace.timeline.at(-1).text);
  t.notMatch(Object.keys(variables), ["PTH_TEST_KEY"]);
  t.match(variables, { HOME: "<folder>/home", ANTHROPIC_API_KEY: "none", PTH_RUNTIME: "host" });
  const own = Object.keys(variables).filter((name) => !/^(CLAUDE_CODE|ANTHROPIC|DISABLE|PTH|MCP)_/.test(name))
    .sort();
  t.strictSame(own.filter((name) => name !== "PWD" && name !== "_"), [
    "ENABLE_TOOL_SEARCH",
    "HOME",
    "IS_SANDBOX",
    "LANG",
    "PATH",
    "TERM",
    "TMPDIR",
  ]);
});

t.test("an agent that asks again for ever is ended within its limit", async (t) => {
  const { code, result } = await ended(t, "retry for ever", "--timeout", "2");
  t.equal(code, 1);
  t.match(result.failures, [
    /^playbook: lane main has played its turn, and is asked for one more/,
    "claude was stopped: it ran for more than 2 s",
  ]);
});

t.test("a login dialog is seen, named and not waited for", async (t) => {
  const { code, result } = await ended(t, "login", "--timeout", "3");
  t.equal(code, 1);
  t.equal(result.stopped, "asking");
  t.match(result.failures, [
    /turn 1 not played/,
    /^claude was stopped: it waits for a person \(login\): "Select login method:"; /,
  ]);
});

t.test("a transcript that ends in the midst of a line is a warning, and the rest counts", async (t) => {
  const { code, result } = await ended(t, "half a transcript");
  t.equal(code, 0);
  t.match(result.trace.warnings, [/a transcript/]);
});

t.test("a playbook with ten mistakes names each at its place, and no agent starts", async (t) => {
  const place = await makePlace(t);
  const { args, env } = await runAgent(place, "sleep");
  const mistakes = Array.from({ length: 10 }, (_, index) => `  - { text: a, mistake${index}: 1 }\n`).join("");
  await writeTextFile(join(place.folder, "playbook.yaml"), `turns:\n${mistakes}`);
  const { code, stderr } = await turns.run(args, { env });
  t.equal(code, 2);
  t.match(stderr, "10 problems");
  for (let line = 2; line <= 11; line++) {
    t.match(stderr, new RegExp(`playbook\\.yaml:${line}:\\d+ .*mistake${line - 2}`));
  }
  t.notMatch(stderr, "preparing");
});

t.test("an agent that is not installed, or whose program is none, is one error before anything starts", async (t) => {
  const place = await makePlace(t);
  const { args, env } = await runAgent(place, "sleep");
  for (
    const [program, words] of [["/no/claude", /there is no \/no\/claude/], [
      "/bin/false",
      /does not tell its version/,
    ]] as const
  ) {
    const { code, stderr } = await turns.run(args, { env: { ...env, PTH_CLAUDE: program } });
    t.equal(code, 3, stderr);
    t.match(stderr, words);
    t.notMatch(stderr, "provisioning");
  }
});

t.test("output that cannot be read is a warning", async (t) => {
  const { code, result } = await ended(t, "noise");
  t.equal(code, 0);
  t.match(result.trace.warnings, ["the output has 2 lines that cannot be read"]);
});

t.test("a full disk is told with its place; what the agent did is shown, and nothing is left", {
  skip: await noSmallDisks(t),
}, async (t) => {
  const place = await makePlace(t);
  const home = place.env.PTH_HOME;
  await smallDisk(t, home, "1m");
  const project = join(place.folder, "project");
  await mkdir(project);
  await writeFile(join(project, "large"), new Uint8Array(2 * 1024 * 1024));
  const full = await runAgent(place, "noise", "--project", project);
  const prepared = await turns.run(full.args, { env: full.env });
  t.equal(prepared.code, 3, prepared.stderr);
  t.match(prepared.stderr, /No space left on device/);
  t.match(prepared.stderr, `${home}: 100% used`);
  t.match(prepared.stderr, /Next:/);
  t.equal(prepared.stdout, "");

  const files = join(place.folder, "disk");
  await smallDisk(t, files, "4k");
  await writeFile(join(files, "fill"), new Uint8Array(8192)).catch(() => {}); // full either way
  const args = ["--trace", join(files, "trace.json"), "--json"];
  const session = await runAgent(place, "fill the disk", ...args);
  const ended = await turns.run(session.args, { env: session.env });
  t.equal(ended.code, 3);
  t.match(ended.stderr, `Cannot write the trace to ${join(files, "trace.json")}: No space left on device`);
  t.notMatch(ended.stderr, /Unexpected error/);
  t.match(JSON.parse(ended.stdout).failures, [/claude ended with exit code 1: .*no space left on device/i]);
  t.strictSame(await namesIn(files), ["fill"]);
  t.strictSame(await environmentsIn(home, "hosts"), []);
  t.strictSame(await namesIn(place.env.PTH_WORKTREE_DIR), []);
});

t.test("Ctrl-C ends an agent that ignores SIGTERM, and nothing is left", async (t) => {
  const place = await makePlace(t);
  const { args, env } = await runAgent(place, "stubborn", "--record", join(place.folder, "events.jsonl"));
  const child = await startPth(args, env);
  child.stderr.resume();
  child.stdout.resume();
  const events = join(place.folder, "events.jsonl");
  let asked = false;
  for (let tries = 0; tries < 600 && !asked; tries++) {
    asked = (await readTextIfExists(events))?.includes("playbook.chose") ?? false;
    if (!asked) await delay(100);
  }
  t.ok(asked, "the agent has asked its model");
  child.kill("SIGINT");
  t.equal((await child.exited).code, 130);
  t.strictSame(await namesIn(join(place.folder, "worktrees")), []);
  const { stdout: processes } = await runCommand(["ps", "-eo", "args"]);
  t.notMatch(processes, place.folder, "the agent is gone");
});
