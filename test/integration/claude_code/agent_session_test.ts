// test: timeout=240
/** The real Claude Code on a playbook, by `pth agent run`: all parts of a plugin are used, and seen. */
import { join } from "node:path";
import t from "tap";
import type { AgentSessionResult, TraceEntry } from "../../../machines/model/agent_session.ts";
import { mkdir, writeTextFile } from "../../../src/platform/files.ts";
import { runCommand } from "../../../src/platform/process.ts";
import docker from "../../../src/runtimes/docker.ts";
import sandbox from "../../../src/runtimes/sandbox.ts";
import { openCliTurns } from "../../support/cli_turns.ts";
import { copyFixture } from "../../support/fixture_plugin.ts";
import { makePlace, type Place } from "../../support/pth_run.ts";
import { withoutClaude } from "./claude_code.ts";

const skip = withoutClaude;
const turns = openCliTurns();
t.teardown(() => turns.close());

const marker = "MARK-OF-THE-USER";

/** A home with traces of a user's everywhere that Claude Code looks. */
async function markedHome(folder: string): Promise<string> {
  const home = join(folder, "user");
  const files = {
    ".claude/settings.json": JSON.stringify({ env: { MARKED: marker }, hooks: {} }),
    ".claude/CLAUDE.md": marker,
    ".claude/commands/marked.md": marker,
    ".claude/skills/marked/SKILL.md": `---\nname: marked\ndescription: ${marker}\n---\n`,
    ".claude/agents/marked.md": `---\nname: marked\ndescription: ${marker}\n---\n`,
    ".claude.json": JSON.stringify({ mcpServers: { marked: { command: marker } } }),
  };
  for (const [path, text] of Object.entries(files)) {
    await mkdir(join(home, path, ".."), { recursive: true });
    await writeTextFile(join(home, path), text);
  }
  return home;
}

async function session(place: Place, env: string, playbook: string, prompt: string) {
  const plugin = await copyFixture("agent_plugin", place.folder);
  const args = ["agent", "run", plugin, prompt, "--env", env, "--playbook", join(plugin, playbook), "--json"];
  const variables = { ...place.env, HOME: await markedHome(place.folder), ANTHROPIC_API_KEY: marker };
  const { code, stdout, stderr } = await turns.run(args, { env: variables });
  return { code, stderr, text: stdout, result: JSON.parse(stdout || "{}") as AgentSessionResult };
}

const ofType = <Type extends TraceEntry["type"]>({ trace }: AgentSessionResult, type: Type) =>
  trace.timeline.filter((entry): entry is Extract<TraceEntry, { type: Type }> => entry.type === type);

t.test(
  "command, skill, subagent, hook and MCP server are used, the same way each time",
  { skip },
  async (t) => {
    const place = await makePlace(t);
    const isolated = [sandbox, docker];
    const ready = await Promise.all(isolated.map(async (runtime) => (await runtime.probe()).ready));
    const environments = ["host", ...isolated.filter((_, index) => ready[index]).map(({ name }) => name)];
    if (environments.length === 1) environments.push("host");
    const runs = [];
    for (const env of environments) {
      runs.push(await session(place, env, "order.playbook.yaml", "/florist:order a rose"));
    }
    const [{ code, result, text, stderr }, ...others] = runs as [typeof runs[0], ...typeof runs];
    t.equal(code, 0, `${stderr}${text}`);
    t.strictSame(result.failures, []);
    t.notMatch(text, marker, "nothing of the user's gets in");
    t.match(ofType(result, "session"), [{ servers: { "plugin:florist:shop": "connected" } }]);
    t.match(ofType(result, "tool_call").map(({ lane, tool, is_error }) => [lane, tool, is_error]), [
      ["main", "mcp__plugin_florist_shop__find", false],
      ["main", "mcp__plugin_florist_shop__find", true],
      ["main", "Skill", false],
      ["main", "Agent", false],
      ["florist:*", "Bash", false],
      ["main", "Bash", true],
      ["main", "Wrap", true],
    ]);
    t.match(ofType(result, "subagent"), [{
      agent: "florist:gardener",
      hooks: [{ event: "SubagentStart" }, { event: "SubagentStop" }],
    }]);
    const bash = ofType(result, "tool_call").find(({ tool, lane }) => tool === "Bash" && lane === "main");
    t.strictSame(bash?.hooks, [{ event: "PreToolUse" }, { event: "PostToolUseFailure" }]);
    t.match(result.trace.changes, [
      { path: "bash_calls.jsonl", change: "added" },
      { path: "vase.txt", change: "added" },
    ]);
    t.match(ofType(result, "end"), [{
      text: "Ordered.",
      hooks: [{ event: "Stop" }, { event: "SessionEnd" }],
    }]);
    for (const [index, other] of others.entries()) {
      t.strictSame(other.result.trace, result.trace, `${environments[index + 1]} gives the same trace`);
    }
  },
);

t.test("a hook that refuses, an error of the API, and turns that are left are told", { skip }, async (t) => {
  const place = await makePlace(t);
  const plugin = await copyFixture("agent_plugin", place.folder);
  await writeTextFile(
    join(plugin, "odd.playbook.yaml"),
    `turns:
  - error: { status: 529, retry_after: 0 }
  - calls: [{ tool: Bash, input: { command: "echo wilt", description: d } }]
  - text: Done.
    expect: { result: { text: no wilting }, tools: [Nonsense] }
  - text: Never said.
`,
  );
  const { code, result } = await session(place, "host", "odd.playbook.yaml", "go");
  t.equal(code, 1);
  t.match(result.failures, [
    /^playbook: lane main, turn 3: no tool Nonsense is offered/,
    "playbook: lane main: turn 4 not played",
  ]);
  t.equal(result.failures.length, 2);
  t.match(ofType(result, "tool_call"), [{ tool: "Bash", is_error: true, result: /no wilting/ }]);
  t.match(ofType(result, "turn")[0], { error: "status 529" });
});

t.test("a hook that hangs is named when the time is up", { skip }, async (t) => {
  const place = await makePlace(t);
  const plugin = await copyFixture("agent_plugin", place.folder);
  const hook = { matcher: "Bash", hooks: [{ type: "command", command: "sleep 1000" }] };
  await writeTextFile(join(plugin, "hooks/hooks.json"), JSON.stringify({ hooks: { PreToolUse: [hook] } }));
  const playbook = join(place.folder, "playbook.yaml");
  await writeTextFile(
    playbook,
    'turns: [{ calls: [{ tool: Bash, input: { command: "echo wilt", description: d } }] }, { text: Done. }]\n',
  );
  const { code, stdout } = await turns.run([
    ...["agent", "run", plugin, "go", "--env", "host", "--playbook", playbook, "--json", "--timeout", "8"],
  ], { env: place.env });
  t.equal(code, 1);
  t.match(JSON.parse(stdout), {
    stopped: "timed-out",
    pendingHooks: ["PreToolUse:Bash"],
    failures: [
      "playbook: lane main: turn 2 not played",
      "claude was stopped: it ran for more than 8 s; its hooks had not ended: PreToolUse:Bash",
    ],
  });
  const { stdout: processes } = await runCommand(["ps", "-eo", "args"]);
  t.notMatch(processes, place.folder, "the agent is gone");
});
