// test: timeout=200
/** The broken plugin, installed and run as a user would: each planted fault shows on its own tool for what it is. */
import t from "tap";
import { copyFixture } from "../../support/fixture_plugin.ts";
import { failureKinds, failures, makePlace, runPth, story } from "../../support/pth_run.ts";

t.setTimeout(200_000);

t.test("each planted fault shows, and nothing else", async (t) => {
  const place = await makePlace(t);
  const plugin = await copyFixture("broken_plugin", place.folder, "vendor");
  const ran = await runPth(place, [plugin, "--env", "host", "--timeout", "2"]);
  t.equal(ran.code, 1, "exit code", { story: story(ran) });
  t.same(
    failureKinds(ran.report),
    [
      "crash_on_call: runtime-exception",
      "missing_import: dependency-error",
      "never_answers: timeout",
      "wrong_output: schema-violation",
    ],
    "kinds of failure by tool",
    { story: story(ran) },
  );
  const said = (tool: string) =>
    failures(ran.report).find((test) => test.tool === tool)?.message?.replaceAll(/\s+/g, " ") ?? "";
  t.match(said("crash_on_call"), /exited with 1 before it answered.*index is corrupt/);
  t.match(said("wrong_output"), /\/length must be integer/);
  t.match(said("missing_import"), "table-renderer-that-nobody-installed");
  t.match(said("never_answers"), /no answer within \d+ s; the server still answers ping/);
  const healthy = ran.report.tests.filter(({ tool }) => tool === "healthy_echo");
  t.ok(healthy.length >= 4, `${healthy.length} tests`);
  t.ok(healthy.every(({ status }) => status === "passed"), "the healthy tool passes all of its tests");
  t.match(ran.stdout, "index is corrupt", "a person reads it too");
});
