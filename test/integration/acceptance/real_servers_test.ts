// test: timeout=500
/**
 * Published servers fail no generated test, and one plugin gets the same tests with the same verdicts wherever it runs.
 * Needs `npm ci`, and Docker with the base image.
 */
import { join } from "node:path";
import t from "tap";
import { copyFixture } from "../../support/fixture_plugin.ts";
import { failures, makePlace, root, runPth, story, verdicts } from "../../support/pth_run.ts";
import { type EnvironmentName, readiness } from "../../support/readiness.ts";

t.setTimeout(500_000);
const place = await makePlace(t);
const skips = await readiness();

const bin = (name: string): string => join(root, "node_modules/.bin", name);
const published = {
  "server-everything": [bin("mcp-server-everything")],
  "server-filesystem": [bin("mcp-server-filesystem"), place.folder],
};

for (const [name, command] of Object.entries(published)) {
  t.test(`${name} fails no generated test`, { skip: skips.host }, async (t) => {
    const quoted = command.map((word) => `'${word}'`).join(" ");
    const ran = await runPth(place, ["--command", quoted, "--env", "host"]);
    t.same(failures(ran.report), [], "no failure", { story: story(ran) });
    t.equal(ran.code, 0, "exit code", { story: story(ran) });
    const { passed, total } = ran.report.summary;
    t.ok(passed > total / 2, `${passed} of ${total} passed`);
  });
}

t.test("the same plugin gets the same verdicts in every environment", async (t) => {
  const plugin = await copyFixture("sample_plugin", place.folder, "archives");
  const first = await judgedIn("host", plugin);
  t.ok(Object.keys(first).length > 80, `${Object.keys(first).length} tests`);
  for (const env of ["sandbox", "docker"] as const) {
    t.test(env, { skip: skips[env] }, async (t) => t.same(await judgedIn(env, plugin), first));
  }
});

async function judgedIn(env: EnvironmentName, plugin: string): Promise<Record<string, string>> {
  const ran = await runPth(place, [plugin, "--env", env]);
  if (ran.code !== 0) throw new Error(story(ran));
  return verdicts(ran.report);
}
