// test: timeout=240
/** The commands of a report repeat its test in an empty folder, with the real Claude Code, from the report alone. */
import { dirname, join } from "node:path";
import process from "node:process";
import t from "tap";
import type { AgentTest } from "../../../machines/model/agent_fixture.ts";
import type { AgentSessionResult } from "../../../machines/model/agent_session.ts";
import { embedTest, gitStateOf } from "../../../src/agent_fixtures/report/embedded_files.ts";
import { agentTestReport } from "../../../src/agent_fixtures/report/test_report.ts";
import { reproduceCommands } from "../../../src/agent_fixtures/report/reproduce_commands.ts";
import { judgeExpectations } from "../../../src/agent_fixtures/judge_expectations.ts";
import { renderAgentSession } from "../../../src/cli/agent/render_agent_session.ts";
import {
  chmod,
  mkdir,
  removeIfExists,
  rename,
  writeFile,
  writeTextFile,
} from "../../../src/platform/files.ts";
import { runCommand } from "../../../src/platform/process.ts";
import { pthCommandLine } from "../../support/bundled_pth.ts";
import { copyFixture } from "../../support/fixture_plugin.ts";
import { makePlace, namesIn } from "../../support/pth_run.ts";
import { pth } from "../../support/pth.ts";
import { startModelServer } from "./model_server.ts";
import { withoutClaude } from "./claude_code.ts";

const look =
  "cat 'a b/it'\"'\"'s.txt' && ./run.sh && sha256sum bytes.bin end && git log --format=%s && ls && " +
  "echo done > made.txt";

const turns = [
  { text: "I look.", calls: [{ tool: "Bash", input: { command: look, description: "look" } }] },
  { text: "It's all there: `$$HOME`.", expect: { result: { is_error: false, text: "END" } } },
];

/** Files with all that a shell could take for something else. */
const files = {
  "a b/it's.txt": "$HOME `id` 'x'\nEND\nEND_1\n",
  "run.sh": "#!/bin/sh\necho it runs\n",
  "bytes.bin": new Uint8Array([0, 1, 2, 254, 255]),
  "end": "no line feed",
};

const testIn = (root: string): AgentTest => ({
  id: "look-001",
  name: "look",
  description: "",
  tags: [],
  file: "test_look.yaml",
  line: 1,
  agent: "claude",
  model: "haiku",
  prompt: "look 'around' & say $HOME",
  asksPermission: false,
  timeoutMs: 60_000,
  playbook: { lanes: [{ name: "main", turns }] },
  start: {
    root,
    files: Object.keys(files).map((path) => ({ from: `project/${path}`, to: path })),
    git: true,
    commands: ["mkdir more\necho more > more/it.txt"],
  },
  expectations: [],
  teardown: [],
});

/** Folder with a program that runs another one. */
async function binFolder(folder: string, name: string, command: string): Promise<string> {
  const bin = join(folder, "bin");
  await mkdir(bin);
  await writeTextFile(join(bin, name), `#!/bin/sh\nexec ${command} "$@"\n`);
  await chmod(join(bin, name), 0o755);
  return bin;
}

t.test("from a report alone, in an empty folder", { skip: withoutClaude }, async (t) => {
  const place = await makePlace(t);
  const plugin = await copyFixture("agent_plugin", place.folder);
  const project = join(place.folder, "project");
  for (const [path, content] of Object.entries(files)) {
    await mkdir(dirname(join(project, path)), { recursive: true });
    await (typeof content === "string"
      ? writeTextFile(join(project, path), content)
      : writeFile(join(project, path), content));
  }
  await chmod(join(project, "run.sh"), 0o755);
  const test = testIn(place.folder);
  const { prompt } = test;
  const embedded = await embedTest(plugin, test);
  const finished = {
    fixture: { name: "look", plugin },
    test,
    judgement: judgeExpectations([], {
      trace: { format: "pth-agent-trace/1", timeline: [], changes: [], warnings: [] },
      checks: {},
    }, []),
    startedAt: Date.now(),
    durationMs: 0,
    embedded,
    gitState: await gitStateOf(place.folder),
    place: { runtime: "host" },
  };

  for (
    const command of ["git init -q", "git add -A", "git -c user.name=a -c user.email=a@b commit -q -m Start"]
  ) {
    const { code, stderr } = await runCommand(["sh", "-c", command], { cwd: project });
    t.equal(code, 0, stderr);
  }
  await runCommand(["sh", "-c", "mkdir more; echo more > more/it.txt"], { cwd: project });
  const playbook = join(place.folder, "turns.json");
  await writeTextFile(playbook, JSON.stringify({ turns }));
  const words = [plugin, prompt, "--env", "host", "--playbook", playbook, "--project", project, "--json"];
  const original = await pth(["agent", "run", ...words], { env: place.env });
  t.equal(original.code, 0, original.stderr);
  const result = JSON.parse(original.stdout) as AgentSessionResult;
  t.same(result.failures, []);
  t.match(result.facts, { session: /^[0-9a-f-]{36}$/, gitChanged: false, tokens: { input: 0 } });
  t.equal(result.facts!.times.length, result.trace.timeline.length);

  const report = JSON.parse(JSON.stringify(agentTestReport({ ...finished, session: result })));
  t.match(report, {
    side_effects: { files_created: ["bash_calls.jsonl", "made.txt"] },
    execution: { session_id: /-/ },
  });
  // What the test was made of is gone.
  await removeIfExists(plugin);
  await rename(project, join(place.folder, "elsewhere"));
  const empty = join(place.folder, "empty");
  await mkdir(empty);
  const bin = await binFolder(place.folder, "pth", pthCommandLine("cli").join(" "));
  const { setup_commands: setup, test_command: command, cleanup_commands: cleanup } = report.reproduce;
  const again = await runCommand(["sh", "-e", "-c", [...setup, command].join("\n")], {
    cwd: empty,
    env: { ...place.env, PATH: `${bin}:${process.env.PATH}` },
  });
  t.equal(again.code, 0, again.stderr);
  t.equal(again.stdout, renderAgentSession(result), "the session went the same way");
  await runCommand(["sh", "-e", "-c", cleanup.join("\n")], { cwd: empty });
  t.same(await namesIn(empty), []);
});

t.test("with a real model, Claude Code itself asks it", { skip: withoutClaude }, async (t) => {
  const place = await makePlace(t);
  const plugin = await copyFixture("agent_plugin", place.folder);
  const { playbook: _, ...test } = testIn(place.folder);
  const { setup_commands: setup, test_command: command, environment } = reproduceCommands(
    { ...test, prompt: "/florist:order a rose", tools: ["Bash"], start: { ...test.start, files: [] } },
    await embedTest(plugin, { start: { ...test.start, files: [] } }),
    undefined,
  );
  await removeIfExists(plugin);
  t.same(Object.keys(environment), ["ANTHROPIC_API_KEY"]);
  const model = await startModelServer(t, {
    turns: [{ calls: [{ tool: "Bash", input: { command: "git log --format=%s", description: "look" } }] }, {
      text: "Ordered.",
    }],
  });
  const empty = join(place.folder, "empty");
  await mkdir(empty);
  const bin = await binFolder(place.folder, "claude", process.env.PTH_CLAUDE!);
  const { code, stdout, stderr } = await runCommand(["sh", "-e", "-c", [...setup, command].join("\n")], {
    cwd: empty,
    // Root may allow every tool only where it says that this is no machine of anyone's.
    env: {
      PATH: `${bin}:${process.env.PATH}`,
      ANTHROPIC_API_KEY: "none",
      ANTHROPIC_BASE_URL: model.url,
      IS_SANDBOX: "1",
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
    },
  });
  t.equal(code, 0, stderr);
  t.same(model.faults, []);
  t.match(stdout, /"result":"Ordered\."/);
  t.match(stdout, /Start/, "the project is the repository that the test began with");
  t.match(JSON.stringify(model.requests), /Order a rose with the tools of the shop/, "the plugin is loaded");
});
