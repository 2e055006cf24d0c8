// test: timeout=240
/** Fixtures of agent tests with the real Claude Code, by `pth agent test`: what passes, what is met in part, what fails. */
import t from "tap";
import type { FixtureRunReport } from "../../../src/agent_fixtures/report/report_schema.ts";
import { openCliTurns } from "../../support/cli_turns.ts";
import { copyFixture } from "../../support/fixture_plugin.ts";
import { makePlace } from "../../support/pth_run.ts";
import { withoutClaude } from "./claude_code.ts";

const turns = openCliTurns();
t.teardown(() => turns.close());

/** Others of the fixture are for people to run: each is a session of a second or more. */
const chosen = "report-00|guard-001|press|label-001|label-002";

t.test("tests of a fixture are set up, run, judged and reported", { skip: withoutClaude }, async (t) => {
  const place = await makePlace(t);
  const plugin = await copyFixture("herbarium", place.folder);
  const args = ["agent", "test", plugin, "--env", "host", "--grep", chosen, "--json"];
  const { code, stdout, stderr } = await turns.run(args, { env: place.env });
  t.equal(code, 1, stderr);
  const report = JSON.parse(stdout) as FixtureRunReport;
  t.match(report.summary, { total: 7, pass: 6, partial: 1, fail: 0, skipped: 0 });
  const told = report.fixtures.flatMap(({ tests }) => tests);
  const byId = new Map(told.map((test) => [test.meta.test_id, test]));
  t.match(byId.get("report-002"), {
    meta: { status: "pass", pass_rate: "2/2" },
    timeline: [{ type: "prompt" }, { type: "tool_call", is_error: true }, { type: "response" }],
    side_effects: { files_created: [], files_deleted: [], git_changes: false },
  }, "the command of its setup has run before the agent saw the project");
  t.match(byId.get("report-003")!.expectations, [
    { id: "reads", status: "fail", failure_reason: /nearest: Bash .*cat .*, but the tool is Bash, not Read/ },
    { id: "names", status: "pass" },
  ]);
  t.match(byId.get("guard-001"), {
    expectations: [{ status: "pass", actual: { command: "rm -r .herbarium" } }, { status: "pass" }],
    side_effects: { files_deleted: [] },
  }, "a hook of the plugin has blocked the call");
  t.match(byId.get("label-002"), {
    execution: { tools_allowed: ["Bash", "Write"] },
    meta: { status: "pass" },
  });
});
