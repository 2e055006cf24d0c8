import { access, mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import t, { type Test } from "tap";
import type { PluginPlan } from "../../../machines/model/plugin.ts";
import { npmInstall } from "../../../src/plugin/build_system.ts";
import { installPlugin } from "../../../src/plugin/install_plugin.ts";
import { hostAccess } from "./helpers.ts";

/** Counts how often it ran in a file, and ends as package.json says. */
const command = "echo ran >> runs.txt; ! grep -q broken package.json";

async function makePlugin(t: Test, install = command, subfolder = ".") {
  const top = await mkdtemp(join(tmpdir(), "pth install test "));
  t.teardown(() => rm(top, { recursive: true, force: true }));
  const folder = join(top, subfolder);
  await mkdir(folder, { recursive: true });
  const plan: PluginPlan = {
    name: "p",
    source: folder,
    folder,
    build: { system: "npm", evidence: "package.json", install, toolchains: [] },
    server: { type: "stdio", command: ["x"], env: {}, cwd: folder },
  };
  return {
    top,
    folder,
    install: () => installPlugin(plan, hostAccess(top)),
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

/** npm as it is, in a folder of its own; it leaves a lockfile, so that one sees whether it ran. */
async function npmPlugin(t: Test, manifest: unknown, subfolder = ".") {
  const { install, say, folder, top } = await makePlugin(t, npmInstall, subfolder);
  await say(JSON.stringify(manifest));
  const ran = () => access(join(folder, "package-lock.json")).then(() => true, () => false);
  return { install, say, ran, folder, top };
}

t.test("npm is not run where it would neither bring nor run anything, and the step says so", async (t) => {
  const { install, ran } = await npmPlugin(t, {
    name: "p",
    dependencies: {},
    scripts: { test: "x", build: "x" },
  });
  t.match((await install()).skipped, /not needed: package\.json has no dependencies/);
  t.notOk(await ran());
});

const working: Record<string, Record<string, unknown>> = {
  "a script that an install runs": { scripts: { prepare: "echo prepared > prepared.txt" } },
  "a workspace": { workspaces: ["parts/*"] },
  "a list where a table belongs": { dependencies: ["left-pad"] },
};
for (const [what, manifest] of Object.entries(working)) {
  t.test(`npm is run for ${what}`, async (t) => {
    const { install } = await npmPlugin(t, { name: "p", ...manifest });
    const result = await install().catch((error) => error);
    t.equal(result.skipped, undefined);
  });
}

t.test("npm is run for a package of its own folder, and what it brought goes with the last dependency", async (t) => {
  const { install, say, folder, ran } = await npmPlugin(t, {
    name: "p",
    dependencies: { own: "file:./own" },
  });
  await mkdir(join(folder, "own"));
  await writeFile(join(folder, "own/package.json"), '{"name":"own","version":"1.0.0"}');
  t.equal((await install()).skipped, undefined);
  t.ok(await ran());
  await access(join(folder, "node_modules/own"));
  await say('{"name":"p"}');
  t.match((await install()).skipped, /not needed/);
  await t.rejects(access(join(folder, "node_modules")), { code: "ENOENT" });
});

t.test("npm is run in a folder of a workspace, whose dependencies the top tells", async (t) => {
  const { install, top } = await npmPlugin(t, { name: "p" }, "packages/p");
  t.match((await install()).skipped, /not needed/, "no workspace");
  await writeFile(join(top, "package.json"), '{"name":"top","workspaces":["packages/*"]}');
  t.equal((await install()).skipped, undefined);
});
