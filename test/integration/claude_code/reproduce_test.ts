// test: timeout=240
/** The commands of a report repeat its test in an empty folder, with the real Claude Code, from the report alone. */
import { dirname, join } from "node:path";
import process from "node:process";
import t from "tap";
import type { AgentTest } from "../../../machines/model/agent_fixture.ts";
import { embedTest } from "../../../src/agent_fixtures/report/embedded_files.ts";
import type { FixtureRunReport, TestReport } from "../../../src/agent_fixtures/report/report_schema.ts";
import { reproduceCommands } from "../../../src/agent_fixtures/report/reproduce_commands.ts";
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

/** Folder with a program that runs another one. */
async function binFolder(folder: string, name: string, command: string): Promise<string> {
  const bin = join(folder, "bin");
  await mkdir(bin);
  await writeTextFile(join(bin, name), `#!/bin/sh\nexec ${command} "$@"\n`);
  await chmod(join(bin, name), 0o755);
  return bin;
}

const test = {
  test_id: "look-001",
  test_name: "It looks",
  execution: {
    prompt: "look 'around' & say $HOME",
    model: "haiku",
    tools: ["Bash"],
    playbook: { turns },
  },
  setup: {
    branch: "start",
    files: [{ src: "data", dest: "." }],
    commands: ["mkdir more\necho more > more/it.txt"],
  },
  teardown: { commands: ["rm made.txt"] },
  expectations: [
    { type: "tool_call", expected: { tool: "Bash", pattern: "run\\.sh", output: "it runs" } },
    { type: "tool_call", expected: { tool: "Read" } },
    { type: "output_contains", expected: { pattern: "all there" } },
  ],
};

async function sh(script: string, cwd: string, env: Record<string, string> = {}): Promise<string> {
  const { code, stdout, stderr } = await runCommand(["sh", "-e", "-c", script], { cwd, env });
  if (code !== 0) throw new Error(`${stdout}${stderr}`);
  return stdout;
}

/** The report without what is another one each time: times, the session's id, places. */
function lasting({ meta, reproduce, execution, timeline, expectations, ...rest }: TestReport) {
  const { timestamp: _, duration_ms: __, file: ___, line: ____, plugin: _____, ...same } = meta;
  return {
    ...rest,
    meta: same,
    command: reproduce.test_command,
    execution: { ...execution, session_id: "" },
    timeline: timeline.map(({ timestamp: _, duration_ms: __, ...entry }) => entry),
    expectations: expectations.map(({ matched_at: at, line: _, ...each }) => ({ ...each, at: at?.sequence })),
  };
}

t.test("from a report alone, in an empty folder", { skip: withoutClaude }, async (t) => {
  const place = await makePlace(t);
  const repository = join(place.folder, "repository");
  const fixture = join(repository, "fixtures/look");
  await mkdir(join(fixture, "tests"), { recursive: true });
  await rename(await copyFixture("agent_plugin", place.folder), join(repository, "plugin"));
  for (const [path, content] of Object.entries(files)) {
    await mkdir(dirname(join(fixture, "data", path)), { recursive: true });
    await writeFile(
      join(fixture, "data", path),
      typeof content === "string" ? new TextEncoder().encode(content) : content,
    );
  }
  await chmod(join(fixture, "data/run.sh"), 0o755);
  await writeTextFile(
    join(fixture, "fixture.yaml"),
    JSON.stringify({ name: "look", package: "../../plugin" }),
  );
  await writeTextFile(join(fixture, "tests/test_look.yaml"), JSON.stringify(test));
  const commit = "git -c user.name=a -c user.email=a@b -c commit.gpgsign=false commit -q -m";
  await sh(
    `git init -q -b main; git add .; ${commit} a; git checkout -q --orphan test/look/start; git rm -rqf .
    echo kept > kept.txt; git add .; ${commit} b; git checkout -q main`,
    repository,
  );
  const words = ["agent", "test", fixture, "--env", "host", "--json"];
  const { stdout, stderr } = await pth(words, { env: place.env });
  const run = JSON.parse(stdout || "{}") as FixtureRunReport;
  const [report] = run.fixtures?.[0]?.tests ?? [];
  t.match(report, {
    meta: { status: "partial", pass_rate: "2/3" },
    execution: { session_id: /^[0-9a-f-]{36}$/ },
    side_effects: { files_created: ["bash_calls.jsonl", "made.txt"], git_changes: false },
  }, stderr);
  if (report === undefined) return;
  const results = report.timeline.flatMap((entry) =>
    entry.type === "tool_call" ? [entry.output!.stdout] : []
  );
  t.match(results, [/END_1\nit runs\n[0-9a-f]{64} {2}bytes\.bin[^]*Start\n[^]*kept\.txt\nmore/]);

  // What the test was made of is gone.
  await removeIfExists(repository);
  const empty = join(place.folder, "empty");
  await mkdir(empty);
  const bin = await binFolder(place.folder, "pth", pthCommandLine("cli").join(" "));
  const { setup_commands: setup, test_command: command, cleanup_commands: cleanup } = report.reproduce;
  await sh(setup.join("\n"), empty);
  const again = await runCommand(["sh", "-e", "-c", `${command} --json`], {
    cwd: empty,
    env: { ...place.env, PATH: `${bin}:${process.env.PATH}` },
  });
  t.equal(again.code, 1, again.stderr);
  const repeated = (JSON.parse(again.stdout || "{}") as FixtureRunReport).fixtures?.[0]?.tests[0];
  t.same(repeated && lasting(repeated), lasting(report), "the session went the same way, to the same result");
  await sh(cleanup.join("\n"), empty);
  t.same(await namesIn(empty), []);
});

/** A test on a real model. */
const real: AgentTest = {
  id: "order-001",
  name: "order",
  description: "",
  tags: [],
  file: "test_order.yaml",
  line: 1,
  agent: "claude",
  model: "haiku",
  prompt: "/florist:order a rose",
  tools: ["Bash"],
  asksPermission: false,
  timeoutMs: 60_000,
  start: { root: "/", files: [], git: true, commands: ["mkdir more"] },
  expectations: [],
  teardown: [],
};

t.test("with a real model, Claude Code itself asks it", { skip: withoutClaude }, async (t) => {
  const place = await makePlace(t);
  const plugin = await copyFixture("agent_plugin", place.folder);
  const { setup_commands: setup, test_command: command, environment } = reproduceCommands({
    fixture: "look",
    test: real,
    embedded: await embedTest(plugin, real),
  });
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

const withoutPi = process.env.PTH_PI === undefined && "PTH_PI does not name a command of pi";

t.test("other agents ask a real model through pth", { skip: withoutPi }, async (t) => {
  const place = await makePlace(t);
  const { tools: _, ...asked } = real;
  const pi = {
    ...asked,
    agent: "pi",
    prompt: "Is it well?",
    expectations: [{
      id: "exp-001",
      description: "",
      type: "output_contains",
      expected: { pattern: "All is well" },
    }],
  };
  const { setup_commands: setup, test_command: command, environment } = reproduceCommands({
    fixture: "look",
    test: pi,
    embedded: await embedTest(await copyFixture("agent_plugin", place.folder), pi),
    place: { runtime: "host" },
  });
  t.same(Object.keys(environment), ["UPSTREAM", "UPSTREAM_KEY"]);
  const model = await startModelServer(t, { turns: [{ text: "All is well." }] });
  const empty = join(place.folder, "empty");
  await mkdir(empty);
  const bin = await binFolder(place.folder, "pth", pthCommandLine("cli").join(" "));
  const env = {
    ...place.env,
    PATH: `${bin}:${process.env.PATH}`,
    UPSTREAM: model.url,
    UPSTREAM_KEY: "a key of tests",
  };
  t.match(await sh([...setup, command].join("\n"), empty, env), /1\/1 expectations met/);
  t.same(model.faults, []);
});
