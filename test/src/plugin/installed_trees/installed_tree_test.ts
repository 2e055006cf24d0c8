// test: timeout=300
import { chmod, copyFile, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Writable } from "node:stream";
import t, { type Test } from "tap";
import type { PluginPlan } from "../../../../machines/model/plugin.ts";
import { spawnProcess } from "../../../../src/platform/process.ts";
import { openConfined } from "../../../../src/platform/confined/open_confined.ts";
import type { EnvironmentAccess } from "../../../../src/plugin/environment_access.ts";
import { npmInstall } from "../../../../src/plugin/build_system.ts";
import { installPlugin } from "../../../../src/plugin/install_plugin.ts";
import { type TreeAccess, unpackWith } from "../../../../src/plugin/installed_trees/tree_access.ts";
import { openTreeStore } from "../../../../src/plugin/installed_trees/tree_store.ts";
import { hostAccess } from "../helpers.ts";

/** Takes the place of npm: makes what a manifest names, as `VERSION` and `SCRIPT` of its folder say. */
const npm = `#!/bin/sh
here=$(dirname "$0")
echo "$1" >> "$here/runs.txt"
case $1 in
  view) . "$here/view.sh"; cat "$here/view.json" 2>/dev/null || { echo 'npm error code ECONNREFUSED' >&2; exit 1; } ;;
  install)
    mkdir -p node_modules/p
    printf '{"name":"p","version":"%s","main":"main.js"}' "$(cat "$here/version.txt")" > node_modules/p/package.json
    echo "installed for $PWD" > node_modules/p/main.js
    cat "$here/hidden.json" > node_modules/.package-lock.json
    . "$here/script.sh" ;;
esac
`;

interface World {
  /** Makes an empty environment with the manifest, and installs in it. */
  install(access?: Partial<TreeAccess>, signal?: AbortSignal): Promise<string | undefined>;
  runs(): Promise<string[]>;
  /** Number of installs that npm made. */
  installs(): Promise<number>;
  say(
    file: "view.json" | "view.sh" | "version.txt" | "hidden.json" | "script.sh",
    text: string | undefined,
  ): Promise<void>;
  /** Files of the environment that was made last. */
  inside(path: string): Promise<string>;
  names(): Promise<string[]>;
  place(): string;
  store: ReturnType<typeof openTreeStore>;
  folder: string;
}

/** @param isolated Whether all environments have their source in the same place, as isolated ones do. */
async function makeWorld(
  t: Test,
  source: string,
  files: Record<string, string>,
  isolated = true,
): Promise<World> {
  const top = await mkdtemp(join(tmpdir(), "pth-installed-tree-"));
  t.teardown(() => rm(top, { recursive: true, force: true }));
  const [bin, host, home, kept] = ["bin", "host", "home", "kept"].map((name) => join(top, name));
  let [inside, count] = ["", 0];
  for (const folder of [bin!, host!, home!]) await mkdir(folder);
  await writeFile(join(bin!, "npm"), npm);
  await chmod(join(bin!, "npm"), 0o755);
  for (const [name, text] of Object.entries(files)) await writeFile(join(host!, name), text);
  const say: World["say"] = (file, text) =>
    text === undefined ? rm(join(bin!, file)) : writeFile(join(bin!, file), text);
  await say("version.txt", "1.0.0");
  await say("hidden.json", "{}");
  await say("script.sh", ":");
  await say("view.sh", ":");
  const store = openTreeStore(kept!, { maxBytes: 10_000_000, maxAgeMs: 3_600_000 });
  const variables = { PATH: `${bin}:${process.env.PATH}`, HOME: home!, npm_config_registry: "" };
  const envIn = (folder: string): EnvironmentAccess => {
    const own = hostAccess(folder, { isolated });
    const exec: EnvironmentAccess["exec"] = (command, options) =>
      own.exec(command, { ...options, env: { ...options?.env, ...variables } });
    return { ...own, exec };
  };
  const planIn = (folder: string): PluginPlan => ({
    name: "p",
    source,
    folder,
    build: { system: "npm", evidence: "package.json", install: npmInstall, toolchains: [] },
    server: { type: "stdio", command: [], env: {}, cwd: folder },
  });
  const runs = async () => {
    const text = await readFile(join(bin!, "runs.txt"), "utf8").catch(() => "");
    return text.split("\n").filter((line) => line !== "");
  };
  return {
    store,
    folder: kept!,
    runs,
    installs: async () => (await runs()).filter((word) => word === "install").length,
    say,
    inside: (path) => readFile(join(inside, path), "utf8"),
    names: () => readdir(inside),
    place: () => inside,
    async install(access = {}, signal) {
      if (!isolated) count++;
      inside = join(top, `environment-${count}`, "source");
      for (const folder of [inside, home!]) {
        await rm(folder, { recursive: true, force: true });
        await mkdir(folder, { recursive: true });
      }
      for (const name of Object.keys(files)) await copyFile(join(host!, name), join(inside, name));
      const trees: TreeAccess = {
        store,
        runtime: "host",
        source: openConfined(host!),
        reads: true,
        keeps: true,
        unpack: unpackWith((words) => spawnProcess(words)),
        copyOut: (from, to) => copyFile(from, to),
        ...access,
      };
      return (await installPlugin(planIn(inside), envIn(inside), { trees, ...(signal && { signal }) }))
        .skipped;
    },
  };
}

const target = (version = "latest") => ({ "package.json": JSON.stringify({ dependencies: { p: version } }) });
const answer = (version: string) => JSON.stringify({ name: "p", version });

t.test("a package is installed once, and then comes from what was kept, whole", async (t) => {
  const { install, runs, say, inside, names } = await makeWorld(t, "npm:p", target());
  await say("view.json", answer("1.0.0"));
  t.equal(await install(), undefined);
  const made = await inside("node_modules/p/main.js");
  t.equal(await install(), "p@1.0.0 installed from cache");
  t.equal(await inside("node_modules/p/main.js"), made);
  t.same(await runs(), ["view", "install", "view"]);
  t.same((await names()).sort(), ["node_modules", "package.json"], "nothing of the way is left");
});

t.test("a new release is seen and installed; the one before stays for whoever names it", async (t) => {
  const { install, say, inside, names } = await makeWorld(t, "npm:p", target());
  await say("view.json", answer("1.0.0"));
  await install();
  await say("view.json", answer("1.1.0"));
  await say("version.txt", "1.1.0");
  t.equal(await install(), undefined);
  t.same((await names()).sort(), ["node_modules", "package.json"], "the other tree is gone");
  t.match(await inside("node_modules/p/package.json"), /1\.1\.0/);
  t.equal(await install(), "p@1.1.0 installed from cache");
});

t.test("the tree of the last time is unpacked while the registry is asked", async (t) => {
  const { install, say, installs, place } = await makeWorld(t, "npm:p", target());
  await say("view.json", answer("1.0.0"));
  await install();
  const unpacked = `ls ${place()}/.pth-tree-*/node_modules/p/main.js`;
  await say("view.sh", `until ${unpacked} >/dev/null 2>&1; do sleep 0.02; done`);
  t.equal(await install(), "p@1.0.0 installed from cache");
  t.equal(await installs(), 1);
});

t.test("a tree that was changed where it is kept is not put into its place", async (t) => {
  const { install, say, installs, folder, names } = await makeWorld(t, "npm:p", target());
  await say("view.json", answer("1.0.0"));
  await install();
  const [key] = (await readdir(folder)).filter((name) => !name.startsWith("."));
  await writeFile(join(folder, key!, "tree.tar"), "changed");
  t.equal(await install(), undefined);
  t.equal(await installs(), 2);
  t.same((await names()).sort(), ["node_modules", "package.json"]);
});

t.test("without a registry the newest version that is kept is used, and the step says so", async (t) => {
  const { install, say, inside } = await makeWorld(t, "npm:p", target());
  for (const version of ["1.0.0", "1.1.0"]) {
    await say("view.json", answer(version));
    await say("version.txt", version);
    await install();
  }
  await say("view.json", undefined);
  t.match(
    await install(),
    /^p@1\.1\.0 installed from cache, the newest that is kept: the registry was not reached/,
  );
  t.match(await inside("node_modules/p/package.json"), /1\.1\.0/);
});

t.test("a package that the registry does not have any more does not come from what was kept", async (t) => {
  const { install, say, installs } = await makeWorld(t, "npm:p", target());
  await say("view.json", answer("1.0.0"));
  await install();
  await say("view.json", "unknown");
  t.equal(await install(), undefined);
  t.equal(await installs(), 2, "npm itself says what is wrong");
});

t.test("a whole version needs no registry; a tree whose archive was changed is refused, and installed again", async (t) => {
  const { install, installs, folder, inside } = await makeWorld(t, "npm:p", target("1.0.0"));
  await install();
  const [key] = await readdir(folder);
  await writeFile(join(folder, key!, "tree.tar"), "poison");
  t.equal(await install(), undefined);
  t.match(await inside("node_modules/p/main.js"), /installed for/);
  t.same(await installs(), 2);
  t.equal(await install(), "p@1.0.0 installed from cache");
});

t.test("an archive that cannot be unpacked leaves nothing, and is installed anew", async (t) => {
  const { install, folder, store, inside } = await makeWorld(t, "npm:p", target("1.0.0"));
  await install();
  const [key] = await readdir(folder);
  await store.keep({ key: key!, name: "p@1.0.0", families: [] }, (path) => writeFile(path, "no archive"));
  t.equal(await install(), undefined);
  t.match(await inside("node_modules/p/main.js"), /installed for/);
});

for (const moment of ["before", "while"]) {
  t.test(`an install that is given up ${moment} a tree is unpacked ends at once, and leaves nothing`, async (t) => {
    const { install, installs, names } = await makeWorld(t, "npm:p", target("1.0.0"));
    await install();
    const given = new AbortController();
    const way = unpackWith(async (words) => {
      const child = await spawnProcess(words);
      const giveUp = () => given.abort(new Error("given up"));
      if (moment === "before") giveUp();
      // As an engine does, whose connection stays open: what is unpacked does not see the end.
      return { ...child, stdin: new Writable({ write: giveUp }) };
    });
    let ended = "";
    const unpack: TreeAccess["unpack"] = (archive, folder) =>
      way(archive, folder).catch((error) => {
        ended = String(error);
        throw error;
      });
    await t.rejects(install({ unpack }, given.signal), { message: "given up" });
    t.match(ended, /ended with SIGKILL/, "and not because nothing happened for a minute");
    t.same(await names(), ["package.json"]);
    t.equal(await install(), "p@1.0.0 installed from cache");
    t.equal(await installs(), 1);
  });
}

t.test("nothing is kept of an environment in which code of a plugin has run, and nothing taken where that is not wanted", async (t) => {
  const { install, installs, folder } = await makeWorld(t, "npm:p", target("1.0.0"));
  await install({ keeps: false });
  await t.rejects(readdir(folder), { code: "ENOENT" });
  await install();
  t.equal(await install({ reads: false }), undefined);
  t.equal(await installs(), 3);
  t.equal(await install({ runtime: "other" }), undefined, "another runtime has trees of its own");
});

const wroteElsewhere: Record<string, string> = {
  "into the home folder": 'mkdir -p "$HOME/.cache/browsers" && echo x > "$HOME/.cache/browsers/chrome"',
  "into the plugin's folder": "echo x > generated.js",
};
for (const [where, script] of Object.entries(wroteElsewhere)) {
  t.test(`where the script of a package wrote ${where}, its tree alone is not what was installed, and not kept`, async (t) => {
    const { install, say, installs } = await makeWorld(t, "npm:p", target("1.0.0"));
    await say("hidden.json", '{"hasInstallScript": true}');
    await say("script.sh", script);
    await install();
    await install();
    t.equal(await installs(), 2);
  });
}

t.test("on the host itself, where each environment has a folder of its own, a tree is kept unless it names that", async (t) => {
  const { install, say, installs, place, inside } = await makeWorld(t, "npm:p", target("1.0.0"), false);
  await install();
  t.equal(await install(), undefined, "it names where it was made");
  await say("script.sh", "echo anywhere > node_modules/p/main.js; ln -s p/main.js node_modules/m");
  await install();
  const made = place();
  t.equal(await install(), "p@1.0.0 installed from cache");
  t.not(place(), made);
  t.equal(await inside("node_modules/m"), "anywhere\n");
  t.equal(await installs(), 3);
});

t.test("where the script of a package wrote into its tree alone, and npm into its own cache, it is kept", async (t) => {
  const { install, say } = await makeWorld(t, "npm:p", target("1.0.0"));
  await say("hidden.json", '{"hasInstallScript": true}');
  await say(
    "script.sh",
    'echo x > node_modules/p/built.node; mkdir -p "$HOME/.npm" && echo x > "$HOME/.npm/log"',
  );
  await install();
  t.equal(await install(), "p@1.0.0 installed from cache");
});

t.test("a folder's tree comes from what was kept; its own scripts run again over it", async (t) => {
  const manifest = (scripts: object) => JSON.stringify({ name: "p", dependencies: { d: "1.0.0" }, scripts });
  const files = { "package.json": manifest({}), "package-lock.json": "{}" };
  const plain = await makeWorld(t, "/a/folder", files);
  await plain.install();
  t.equal(await plain.install(), "p installed from cache");
  t.same(await plain.runs(), ["install"]);
  const own = await makeWorld(t, "/a/folder", { ...files, "package.json": manifest({ prepare: "x" }) });
  await own.say("script.sh", "echo x > built.js");
  await own.install();
  t.match(await own.install(), /^p installed from cache, then npm install/);
  t.match(await own.names(), ["built.js", "node_modules"]);
  t.same(await own.runs(), ["install", "install"]);
});
