import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import t, { type Test } from "tap";
import type { PluginPlan } from "../../../machines/model/plugin.ts";
import { installPlugin } from "../../../src/plugin/install_plugin.ts";
import { hostAccess } from "./helpers.ts";

/** Counts how often it ran in a file, and ends as package.json says. */
const command = "echo ran >> runs.txt; ! grep -q broken package.json";

async function makePlugin(t: Test, install = command) {
  const folder = await mkdtemp(join(tmpdir(), "pth install test "));
  t.teardown(() => rm(folder, { recursive: true, force: true }));
  const plan: PluginPlan = {
    name: "p",
    source: folder,
    folder,
    build: { system: "npm", evidence: "package.json", install, toolchains: [] },
    server: { type: "stdio", command: ["x"], env: {}, cwd: folder },
  };
  return {
    install: () => installPlugin(plan, hostAccess(folder)),
    say: (text: string) => writeFile(join(folder, "package.json"), text),
    runs: async () => (await readFile(join(folder, "runs.txt"), "utf8")).split("\n").length - 1,
  };
}

t.test("what is installed already is not installed again, also where there is nothing to install", async (t) => {
  const { install, say, runs } = await makePlugin(t);
  await say("one");
  t.equal((await install()).skipped, undefined);
  t.equal((await install()).skipped, "node_modules is up to date");
  t.equal(await runs(), 1);
  await say("two");
  t.equal((await install()).skipped, undefined, "another manifest");
  t.equal(await runs(), 2);
});

t.test("after an install that failed, going back to the manifest from before installs again", async (t) => {
  const { install, say, runs } = await makePlugin(t);
  await say("one");
  await install();
  await say("broken");
  await t.rejects(install(), { code: "INSTALL_FAILED" });
  await say("one");
  t.equal((await install()).skipped, undefined, "nobody knows what the failed one has done");
  t.equal(await runs(), 3);
});
