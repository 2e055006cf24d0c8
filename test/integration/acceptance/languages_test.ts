// test: timeout=400
/**
 * Servers of other kinds pass like any: Python, streamable HTTP, revision 2026-07-28. Each once in every environment
 * that is ready; needs Docker with the base image, and PyPI.
 */
import t from "tap";
import { openCliTurns } from "../../support/cli_turns.ts";
import { copyFixture } from "../../support/fixture_plugin.ts";
import { readiness } from "../../support/readiness.ts";
import { failures, makePlace, runPth, story } from "../../support/pth_run.ts";

t.setTimeout(400_000);

const servers = [
  {
    name: "python_server",
    packages: "registry",
    args: [],
    tools: ["convert_length", "convert_temperature", "list_units"],
  },
  {
    name: "http_server",
    packages: "vendor",
    args: ["--url", "http://127.0.0.1:{port}/mcp"],
    tools: ["echo", "sum", "visits"],
  },
  { name: "era_2026_server", packages: "vendor", args: [], tools: ["area", "count_to", "echo"] },
] as const;
const place = await makePlace(t);
const skips = await readiness();
const turns = openCliTurns();
t.teardown(() => turns.close());

for (const { name, packages, args, tools } of servers) {
  const folder = await copyFixture(name, place.folder, packages);
  for (const env of ["host", "sandbox", "docker"] as const) {
    t.test(`${name} passes in ${env}`, { skip: skips[env] }, async (t) => {
      const ran = await runPth(place, [folder, "--env", env, ...args], {}, turns.run);
      t.same(failures(ran.report), [], "no failure", { story: story(ran) });
      t.equal(ran.code, 0, "exit code", { story: story(ran) });
      t.equal(ran.report.environment?.runtime, env);
      const passed = ran.report.tests.filter(({ status }) => status === "passed");
      t.same([...new Set(passed.flatMap(({ tool }) => tool ?? []))].sort(), tools, "each tool passed tests");
    });
  }
}
