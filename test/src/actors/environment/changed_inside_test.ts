import { cp, mkdir, rm, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import t, { type Test } from "tap";
import { changedInside } from "../../../../src/actors/environment/changed_inside.ts";
import {
  madeSources,
  pluginSources,
  sessionSources,
} from "../../../../src/actors/session/session_sources.ts";
import { runCommand } from "../../../../src/platform/process.ts";
import { makeRepository, prepare, temporaryWorld } from "../../session/helpers.ts";
import { liveSession } from "../live.ts";

/** A session whose environment has a copy of the source, which is a folder of this machine. */
async function makeSession(t: Test, files: Record<string, string>, given: { source?: string } = {}) {
  const { folder, home } = await temporaryWorld(t);
  await makeRepository(folder, files);
  const { live } = liveSession();
  live.code.source = { ...await prepare({ target: folder }), ...given };
  const copy = join(home, "copy");
  await cp(live.code.source.worktree, copy, { recursive: true, filter: (path) => !path.endsWith("/.git") });
  const info = { handle: { environmentId: "e1", runtime: "docker", sourcePath: copy } };
  const runtime = {
    abilities: { isolated: true },
    exec: (_handle: unknown, command: readonly string[], options = {}) => runCommand(command, options),
  };
  live.environment.current = { runtime: runtime as never, info: info as never, baseline: undefined };
  live.plugin.plan = {
    name: "p",
    source: "p",
    folder: copy,
    server: { type: "stdio", command: [], env: {}, cwd: copy },
  };
  return { live, copy };
}

t.test("files that differ from what was brought are told, but for what is ignored or installed", async (t) => {
  const { live, copy } = await makeSession(t, {
    ".gitignore": "dist/\n*.log\n",
    "a.js": "a",
    "b file.js": "b",
    "gone.js": "g",
    "made a fifo.js": "f",
    "made a link.js": "l",
    "same.js": "s",
  });
  t.strictSame(await changedInside(live), []);
  await writeFile(join(copy, "a.js"), "changed");
  await writeFile(join(copy, "notes.txt"), "new");
  await writeFile(join(copy, "own.log"), "ignored");
  await rm(join(copy, "gone.js"));
  await rm(join(copy, "made a fifo.js"));
  await runCommand(["mkfifo", join(copy, "made a fifo.js")]);
  await rm(join(copy, "made a link.js"));
  await symlink("/dev/zero", join(copy, "made a link.js"));
  for (const path of ["dist", "node_modules/x", ".pth-coverage/1"]) {
    await mkdir(join(copy, path), { recursive: true });
    await writeFile(join(copy, path, "i.js"), "");
  }
  const changed = ["a.js", "gone.js", "made a fifo.js", "made a link.js", "notes.txt"];
  t.strictSame(await changedInside(live), changed);
  live.code.line.add("0123abc");
  t.strictSame(
    await changedInside(live),
    [],
    "what the branch has and the copy not yet is no change of the copy's",
  );
});

t.test("what the repository holds is read on the host, what was built inside", async (t) => {
  const { live, copy } = await makeSession(t, { "src/a.ts": "held" });
  await mkdir(join(copy, "dist"));
  await writeFile(join(copy, "dist/a.js"), "built");
  await writeFile(join(copy, "src/a.ts"), "changed by the plugin");
  const { sources, path } = sessionSources(live)!;
  t.equal(path, copy);
  t.strictSame(await sources.list(), ["src/a.ts"]);
  t.strictSame([await sources.read("src/a.ts"), await sources.read("dist/a.js")], ["held", "built"]);
  live.environment.current = undefined;
  t.equal(await sessionSources(live)!.sources.read("dist/a.js"), undefined);
});

t.test("of a package its own folder inside is read, once it is installed", async (t) => {
  const { live, copy } = await makeSession(t, { "package.json": "{}" }, { source: "npm:@s/it@1.0.0" });
  const plan = live.plugin.plan;
  live.plugin.plan = undefined;
  t.equal(sessionSources(live), undefined);
  live.plugin.plan = plan;
  await mkdir(join(copy, "node_modules/@s/it/docs"), { recursive: true });
  await writeFile(join(copy, "node_modules/@s/it/index.js"), "theirs");
  await writeFile(join(copy, "node_modules/@s/it/docs/use.md"), "# Use");
  const { sources, folder } = sessionSources(live)!;
  t.strictSame(await sources.list(), ["index.js"]);
  t.strictSame([await folder.list(), await folder.list("docs"), await folder.list("doc")], [
    ["docs", "index.js"],
    ["use.md"],
    [],
  ]);
  t.strictSame(await pluginSources(live).list(), ["node_modules/@s/it/index.js"]);
  t.equal(await madeSources(live).read("node_modules/@s/it/index.js"), "theirs");
});
