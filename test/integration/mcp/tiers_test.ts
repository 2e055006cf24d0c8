// test: timeout=200
/** A session is told which tier its plugin asks for, and moves between tiers with its branch, worktree and tests. */
import { join } from "node:path";
import t from "tap";
import { readTextFile } from "../../../src/platform/files.ts";
import { openSessionClient } from "../../support/session_client.ts";
import { makeRepository } from "../../src/session/helpers.ts";
import { fixture } from "../../support/pth_run.ts";
import { readiness } from "../../support/readiness.ts";

t.setTimeout(190_000);
const skips = await readiness();

/** The fixture as a repository. */
async function servicePlugin(folder: string): Promise<string> {
  const plugin = join(folder, "service_plugin");
  const files = ["package.json", "server.mjs", ".pth/tests/services.yaml"];
  const texts = await Promise.all(files.map((file) => readTextFile(join(fixture("service_plugin"), file))));
  await makeRepository(plugin, Object.fromEntries(files.map((file, index) => [file, texts[index]!])));
  return plugin;
}

interface Session {
  source: { branch: string; worktree: string };
  recommendation: { tier: number; reasons: { file: string; line: number }[] };
}

t.test("the tier and its reasons are told at the start; a bad declaration gets no session", async (t) => {
  const { call, succeed, folder } = await openSessionClient(t);
  const pluginPath = await servicePlugin(folder);
  const { text, data } = await succeed(t, "pth_start_session", { pluginPath });
  t.match(text, /^Tier 2 \(a container with systemd\) is what its source needs:$/m);
  t.match(text, /^ {2}uses systemd: services, timers, its journal \(server\.mjs:\d+\): \S/m);
  t.match(text, /Next: pth_provision_environment\(\{\}\), which uses tier 2 if available/);
  const { recommendation } = data.session as Session;
  t.equal(recommendation.tier, 2);
  t.match(recommendation.reasons[0], { file: "server.mjs", line: Number });

  const refused = await call("pth_provision_environment", { runtime: "sandbox", tier: 3 });
  t.ok(refused.isError);
  t.match(refused.text, /sandbox makes environments of tier 1, not 3/);
  await succeed(t, "pth_end_session");

  const bad = join(folder, "declares");
  await makeRepository(bad, {
    "package.json": '{ "name": "x", "bin": "x.js", "pth": { "tier": "vm" } }',
    "x.js": "",
  });
  const start = await call("pth_start_session", { pluginPath: bad });
  t.ok(start.isError);
  t.match(start.text, /package\.json:1:48 expected pth\.tier to be 1, 2 or 3, not "vm"/);
  await succeed(t, "pth_start_session", { pluginPath });
});

t.test(
  "a session moves to another tier and back: branch, worktree and tests stay, the plugin is loaded again",
  { skip: skips.systemd || skips.docker },
  async (t) => {
    const { call, succeed, folder } = await openSessionClient(t);
    const pluginPath = await servicePlugin(folder);
    const { data } = await succeed(t, "pth_start_session", { pluginPath });
    const { source } = data.session as Session;
    await succeed(t, "pth_provision_environment", { runtime: "docker" });
    await succeed(t, "pth_load_plugin");
    const note = "needs an environment of tier 2 (a container with systemd), this one is tier 1";
    const test = "a user is added and removed";
    const verdict = async () => {
      const ran = await succeed(t, "pth_run_test_suite", { grep: test });
      t.notMatch(ran.text, /failed [1-9]/);
      const { data } = await succeed(t, "pth_get_test_results", { detail: true });
      return (data as unknown as { results: { name: string; status: string; note?: string }[] }).results
        .find(({ name }) => name === test);
    };
    t.match(await verdict(), { status: "skipped", note });

    const above = await succeed(t, "pth_reprovision_environment", { tier: 2 });
    t.match(above.data, { environment: { runtime: "systemd", tier: 2 }, reloaded: true });
    t.match(await verdict(), { status: "passed" });

    const refused = await call("pth_reprovision_environment", { runtime: "docker", tier: 2 });
    t.match(refused.text, /docker makes environments of tier 1, not 2/);
    t.match(
      await verdict(),
      { status: "passed" },
      "what cannot be had does not cost the environment that is there",
    );

    const below = await succeed(t, "pth_reprovision_environment", { tier: 1, runtime: "docker" });
    t.match(below.data, { environment: { runtime: "docker", tier: 1 }, reloaded: true });
    t.match(await verdict(), { status: "skipped", note });
    const ended = await succeed(t, "pth_end_session");
    t.match(ended.text, source.branch);
  },
);
