/** Frameworks of scripting languages with their real tools: as many tests as the framework counts itself. */
import t from "tap";
import { runCommand } from "../../../src/platform/process.ts";
import rspec from "../../../src/project_tests/frameworks/rspec.ts";
import { missing, pasted, projectOf, runProjectTests } from "../../support/run_project_tests.ts";

t.test("RSpec", { skip: await missing("rspec") }, async (t) => {
  const root = await projectOf(t, {
    "spec/a_spec.rb": 'RSpec.describe "sums" do\n  it("adds") { puts "said" }\n  it { expect(1).to eq 2 }\n' +
      '  it("fails (1 + 1)") { expect(1).to eq 2 }\n  it("later")\nend\n',
  });
  const run = await runProjectTests(t, rspec, root);
  const failed = ["sums (./spec/a_spec.rb:3)", "sums fails (1 + 1)"];
  t.strictSame([run.passed, run.failed, run.skipped], [["sums adds"], failed, ["sums later"]]);
  t.match((await runCommand(["rspec"], { cwd: root })).stdout, "4 examples, 2 failures, 1 pending");
  t.match(run.events.filter((event) => event.type === "output" && event.test !== undefined), [
    { test: { name: "sums adds" }, text: "said\n" },
  ]);
  for (const name of failed) {
    t.match(await pasted(rspec, run, name), { code: 1, output: "1 example, 1 failure" });
  }
  t.strictSame((await runProjectTests(t, rspec, root, { test: failed[1]! })).failed, [failed[1]]);
});
