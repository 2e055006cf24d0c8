import { dirname, join } from "node:path";
import t, { type Test } from "tap";
import { mkdir, writeTextFile } from "../../../src/platform/files.ts";
import { findSuperpowers } from "../../../src/session/superpowers.ts";

/** Claude Code's folder with the given files; `{cache}` in a text stands for its plugin cache. */
async function claude(t: Test, files: Record<string, unknown>) {
  const config = t.testdir({});
  const plugins = join(config, "plugins");
  for (const [path, content] of Object.entries(files)) {
    const text = typeof content === "string" ? content : JSON.stringify(content);
    await mkdir(dirname(join(config, path)), { recursive: true });
    await writeTextFile(join(config, path), text.replaceAll("{cache}", join(plugins, "cache")));
  }
  return { config, plugins, project: "/work/project" };
}

const skill = (folder: string, name: string) => ({
  [`plugins/cache/${folder}/skills/${name}/SKILL.md`]: "x",
});
const installed = (entry: unknown) => ({
  "plugins/installed_plugins.json": { version: 2, plugins: { "superpowers@market": entry } },
});
const entry = { scope: "user", installPath: "{cache}/market/superpowers/5.0.7", version: "5.0.7" };

t.test("the installed version is told with its skills, as Claude Code 2 lays it out", async (t) => {
  const folders = await claude(t, {
    ...installed([entry]),
    ...skill("market/superpowers/5.0.7", "writing-plans"),
    ...skill("market/superpowers/5.0.7", "brainstorming"),
    ...skill("market/superpowers/4.0.0", "old"),
    "plugins/cache/market/superpowers/5.0.7/skills/notes/README.md": "no skill",
    "settings.json": { enabledPlugins: { "superpowers@market": true } },
  });
  t.match(await findSuperpowers(folders), { version: "5.0.7", skills: ["brainstorming", "writing-plans"] });
});

t.test("one entry instead of a list is read, too", async (t) => {
  const folders = await claude(t, { ...installed(entry), ...skill("market/superpowers/5.0.7", "tdd") });
  t.same((await findSuperpowers(folders))?.skills, ["tdd"]);
});

t.test("a plugin that is switched off, or belongs to another project, is not told", async (t) => {
  const files = { ...installed([entry]), ...skill("market/superpowers/5.0.7", "tdd") };
  const off = await claude(t, {
    ...files,
    "settings.json": { enabledPlugins: { "superpowers@market": false } },
  });
  t.equal(await findSuperpowers(off), undefined);
  const elsewhere = installed([{ ...entry, projectPath: "/work/project-2" }]);
  t.equal(await findSuperpowers(await claude(t, { ...files, ...elsewhere })), undefined);
  const here = installed([{ ...entry, projectPath: "/work" }]);
  t.ok(await findSuperpowers(await claude(t, { ...files, ...here })));
});

t.test("without a list of plugins the cache is searched, the newest version with skills counts", async (t) => {
  const folders = await claude(t, {
    ...skill("market/superpowers/4.9.0", "a"),
    ...skill("market/superpowers/4.10.0", "b"),
    "plugins/cache/market/superpowers/unknown/README.md": "nothing",
    ...skill("market/other/9.0.0", "c"),
  });
  t.match(await findSuperpowers(folders), { version: "4.10.0", skills: ["b"] });
  const old = await claude(t, skill("Superpowers", "brainstorming"));
  t.match(await findSuperpowers(old), { skills: ["brainstorming"] });
});

t.test("where there is nothing, or nothing readable, there is silence", async (t) => {
  t.equal(await findSuperpowers(await claude(t, {})), undefined);
  t.equal(await findSuperpowers(await claude(t, installed([entry]))), undefined, "an empty cache");
  t.equal(
    await findSuperpowers(await claude(t, { "plugins/installed_plugins.json": "{ broken" })),
    undefined,
  );
  t.equal(await findSuperpowers(await claude(t, installed([null, { installPath: 3 }]))), undefined);
});
