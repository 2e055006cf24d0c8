import { join } from "node:path";
import t, { type Test } from "tap";
import type { EnvironmentInfo, SessionInfo } from "../../../../machines/model/session.ts";
import type { AgentTestResult, FixtureRunRequest } from "../../../../machines/model/fixture_run.ts";
import { fixtureRunReportSchema } from "../../../../src/agent_fixtures/report/report_schema.ts";
import { mkdir, readTextFile, realPath, writeTextFile } from "../../../../src/platform/files.ts";
import { temporaryFolder } from "../../../support/temporary_folder.ts";
import { checkAnswer } from "../../server/check_answer.ts";
import { connect, textOf } from "../../server/connected_client.ts";
import { toolsets } from "../../../../src/tools/toolset.ts";

const command = { agents: ["command"], command: "true" };

const testText = (id: string, more = "") =>
  `test_id: ${id}
execution: { prompt: go, playbook: { turns: [{ text: done }] } }
expectations:
  - { id: says, description: says so, type: output_contains, expected: { pattern: done } }
${more}`;

const usual = {
  "plugin/.claude-plugin/plugin.json": '{ "name": "herbarium" }',
  "plugin/fixtures/beds/fixture.yaml": "name: beds",
  "plugin/fixtures/beds/tests/test_a.yaml": testText("a", "tags: [slow]"),
  "plugin/fixtures/beds/tests/test_b.yaml": testText("b"),
  "plugin/fixtures/pots/fixture.yaml": "name: pots",
  "plugin/fixtures/pots/test_c.yaml": testText("c", "skip: not today"),
  "plugin/fixtures/pots/test_d.yaml": testText("d"),
  "other/.claude-plugin/plugin.json": '{ "name": "other" }',
  "other/fixtures/weeds/fixture.yaml": "name: weeds",
};

/** A session's copy with these files, and what its session is asked and answers. */
async function sessionOf(t: Test, files: Record<string, string> = usual) {
  const before = process.env["PTH_HISTORY_DIR"];
  process.env["PTH_HISTORY_DIR"] = await temporaryFolder(t);
  t.teardown(() => {
    if (before === undefined) delete process.env["PTH_HISTORY_DIR"];
    else process.env["PTH_HISTORY_DIR"] = before;
  });
  const worktree = await realPath(await temporaryFolder(t));
  for (const [path, text] of Object.entries(files)) {
    await mkdir(join(worktree, path, ".."), { recursive: true });
    await writeTextFile(join(worktree, path), text);
  }
  const requests: FixtureRunRequest[] = [];
  const source = { worktree, subfolder: "plugin", folder: "/projects/herbarium" };
  const commands = {
    info: () => ({ source }) as unknown as SessionInfo,
    environment: {
      inspect: () =>
        Promise.resolve({ config: { runtime: "host" } } as unknown as EnvironmentInfo & { state: never }),
    },
    agents: {
      test(request: FixtureRunRequest) {
        requests.push(request);
        const runs = request.tests.filter(({ skip }) => skip === undefined);
        return Promise.resolve({
          results: runs.map(resultOf),
          notRun: request.tests.flatMap(({ id, skip }) => skip === undefined ? [] : [{ id, reason: skip }]),
        });
      },
    },
  };
  const ran = () =>
    requests.map(({ fixture, tests }) => `${fixture.name}: ${tests.map(({ id }) => id).join(" ")}`);
  return { worktree, commands, requests, ran };
}

function resultOf({ id, expectations: [planned] }: FixtureRunRequest["tests"][number]): AgentTestResult {
  const met = id === "b"
    ? { status: "fail" as const, actual: null, failureReason: "none was found;\nnearest: nothing" }
    : { status: "pass" as const, actual: "done" };
  const judgement = { status: met.status, expectations: [{ ...planned!, ...met }] };
  return { id, judgement, startedAt: 1000, durationMs: 5, attempts: id === "d" ? 2 : 1 };
}

t.test("the counts come first, then each test that is not passed with what it lacks, and what did not run", async (t) => {
  const { commands, requests, ran } = await sessionOf(t);
  const out = await temporaryFolder(t);
  await checkAnswer(t, {
    tool: "pth_test_agents",
    input: { ...command, places: [".", "fixtures/beds", "../other"], retries: 2, out },
    commands,
    text: new RegExp(
      [
        "^2 of 4 agent tests passed, 1 failed, 1 not run",
        "- beds/b failed, 0/1 met",
        "  says says so: none was found; nearest: nothing",
        "- pots/c not run: not today",
        "- pots/d passed, 1/1 met, attempt 2",
        "Note: weeds is a fixture of another plugin \\(other\\): left out",
        `Report: ${out}/report.html$`,
      ].join("\n"),
    ),
    data: {
      passed: 2,
      failed: 1,
      notRun: 1,
      lints: [/fixtures\/beds\/fixture\.yaml:1:1 the fixture has 2 tests/, /pots/, /weeds/],
      tests: [{ id: "b", failed: [{ id: "says" }] }, { id: "c", reason: "not today" }, {}, {}],
    },
  });
  t.same(ran(), ["beds: a b", "pots: c d"]);
  t.match(requests, [{
    retries: 2,
    programs: { command: { command: { line: "true", stdin: false } } },
    tests: [{ agent: "command", file: "/projects/herbarium/fixtures/beds/tests/test_a.yaml" }, {}],
  }, {}]);
  const report = fixtureRunReportSchema.parse(JSON.parse(await readTextFile(join(out, "report.json"))));
  t.match(report, { status: "partial", summary: { total: 4, pass: 2, fail: 1, skipped: 1 } });
});

t.test("tests are chosen by name, tag, and what failed last", async (t) => {
  const { commands, ran } = await sessionOf(t);
  const asked = { tool: "pth_test_agents", commands, data: {} };
  await checkAnswer(t, { ...asked, input: { ...command, tag: "slow" }, text: /^1 of 1 agent test passed$/ });
  await checkAnswer(t, {
    ...asked,
    input: { ...command, grep: "^b" },
    text: /^0 of 1 agent test passed, 1 failed\n/,
  });
  await checkAnswer(t, { ...asked, input: { ...command, lastFailed: true }, text: /^0 of 1 agent/ });
  t.same(ran(), ["beds: a", "beds: b", "beds: b"]);
});

t.test("several agents take the tests side by side in one run, and those that name agents run on these alone", async (t) => {
  const { commands, requests, ran } = await sessionOf(t, {
    ...usual,
    "plugin/fixtures/beds/tests/test_b.yaml": testText("b").replace("go,", "go, agents: [command, pi],"),
  });
  const named = { agents: ["command", "other"], command: "true", places: ["fixtures/beds"] };
  const server = await connect({ commands }, { toolsets: new Set(toolsets) });
  t.teardown(() => server.hangUp());
  await server.call("pth_start_session", { pluginPath: "/plugins/sample" });
  t.match(
    textOf(await server.call("pth_test_agents", named)),
    /test_a\.yaml:1 a\[other\]: unknown agent "other"/,
  );
  await server.call("pth_test_agents", { ...named, agents: ["command"] });
  t.same(ran(), ["beds: a b[command]"]);
  t.match(requests[0]?.tests, [{ agent: "command", sharedId: undefined }, { agent: "command" }]);
});

t.test("what cannot be run is told before anything starts", async (t) => {
  const { commands, requests, worktree } = await sessionOf(t, {
    ...usual,
    "plugin/fixtures/pots/test_e.yaml": "test_id: e\nexecution: { prompt: go }\n",
    "plugin/bad/fixture.yaml": "nam: bad",
  });
  const server = await connect({ commands }, { toolsets: new Set(toolsets) });
  t.teardown(() => server.hangUp());
  await server.call("pth_start_session", { pluginPath: "/plugins/sample" });
  const refused = async (input: Record<string, unknown>) => {
    const result = await server.call("pth_test_agents", input);
    t.ok(result.isError);
    return textOf(result).replaceAll(worktree, "");
  };
  t.match(await refused({ places: ["../.."], ...command }), /there is no \.\.\/\.\. in the session's copy/);
  t.match(await refused({ places: ["none"], ...command }), /there is no none in the session's copy/);
  t.match(await refused({ places: ["bad"], ...command }), /plugin\/bad\/fixture\.yaml:1:1 unknown key "nam"/);
  t.match(await refused({ places: ["../other"], ...command }), /there is no fixture of the session's plugin/);
  t.match(await refused({ places: ["fixtures/pots"], ...command }), /test_e\.yaml:1 e: it has no playbook/);
  t.match(
    await refused({ places: ["fixtures/beds"], agents: ["command"] }),
    /the agent command needs its command line/,
  );
  t.match(await refused({ places: ["fixtures/beds"], agents: ["cladue"] }), /unknown agent "cladue"/);
  t.match(await refused({ places: ["fixtures/beds"], ...command, tag: "quick" }), /none fits the tag quick/);
  t.match(
    await refused({ places: ["fixtures/beds"], ...command, out: "/proc/x" }),
    /Cannot write reports to \/proc\/x/,
  );
  t.same(requests, []);
});
