import { mkdir, symlink, writeFile } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import t from "tap";
import { removeSource } from "../../../src/session/remove_source.ts";
import { prepare, rejection, temporaryWorld, textOf, writeFiles } from "./helpers.ts";
import { type NextStep, nextStepsFor } from "../../../src/core/next_step.ts";

t.test("a folder without git is copied without what is made again", async (t) => {
  const { folder } = await temporaryWorld(t);
  await writeFiles(folder, {
    "package.json": '{"name":"p","scripts":{"build":"tsc"}}',
    "node_modules/x/index.js": "x",
    "dist/old.js": "old",
    ".venv/pyvenv.cfg": "",
    "rust/Cargo.toml": "",
    "rust/target/debug/x": "x",
    "src/target/keep.ts": "not a cache",
    "docs/dist/keep.txt": "nobody builds this one",
  });
  await symlink("src/target/keep.ts", join(folder, "link"));
  const source = await prepare(folder);
  const at = (path: string) => textOf(source.worktree, path);
  t.match(source, { branch: undefined, name: "p", folder });
  t.equal(await at("src/target/keep.ts"), "not a cache");
  t.equal(await at("link"), "not a cache");
  t.equal(await at("docs/dist/keep.txt"), "nobody builds this one");
  for (const path of ["node_modules/x/index.js", "dist/old.js", ".venv/pyvenv.cfg", "rust/target/debug/x"]) {
    t.equal(await at(path), undefined, path);
  }
  t.equal(await at(".pth/active-session.lock"), undefined);
  t.ok(await textOf(folder, ".pth/active-session.lock"));
  t.strictSame((await removeSource(source)).leftBehind, []);
  t.equal(await at("package.json"), undefined);
  t.equal(await textOf(folder, ".pth/active-session.lock"), undefined);
});

t.test("worktrees kept within the plugin's folder are not copied into themselves", async (t) => {
  const { folder } = await temporaryWorld(t);
  await writeFiles(folder, { "server.py": "" });
  process.env.PTH_WORKTREE_DIR = join(folder, "tmp");
  const source = await prepare(folder);
  t.equal(await textOf(source.worktree, "server.py"), "");
  t.equal(await textOf(source.worktree, "tmp", `pth-worktree-${source.sessionId}`, "server.py"), undefined);
});

t.test("a machine without git copies the folder and says so", async (t) => {
  const { folder } = await temporaryWorld(t);
  await writeFiles(folder, { "server.py": "", ".git/HEAD": "ref: refs/heads/main" });
  const path = process.env.PATH;
  process.env.PATH = "/nowhere";
  t.teardown(() => process.env.PATH = path);
  const source = await prepare(folder);
  t.match(source.notes, ["A copy without a branch: git is not installed here."]);
  t.equal(await textOf(source.worktree, "server.py"), "");
  t.strictSame((await removeSource(source)).leftBehind, []);
});

t.test("an npm package gets a folder that depends on it", async (t) => {
  await temporaryWorld(t);
  const source = await prepare("npm:@scope/server@^1.2");
  t.match(source, { name: "@scope/server", source: "npm:@scope/server@^1.2", folder: undefined });
  const manifest = JSON.parse(await textOf(source.worktree, "package.json") ?? "");
  t.strictSame(manifest.dependencies, { "@scope/server": "^1.2" });
});

t.test("a command needs no folder", async (t) => {
  await temporaryWorld(t);
  const source = await prepare({ command: ["python3", "-m", "server"] });
  t.match(source, { name: "server", source: "python3 -m server", subfolder: "" });
});

t.test("what cannot be tested is refused with a reason and a way on", async (t) => {
  const { folder, worktrees } = await temporaryWorld(t);
  await writeFile(join(folder, "server.py"), "");
  await mkdir(join(folder, "empty"));
  const cases: [string, string, RegExp, RegExp][] = [
    [join(folder, "nothing"), "TARGET_NOT_FOUND", /no such folder/, /existing folder/],
    ["server-everything", "TARGET_NOT_FOUND", /no such folder/, /npm:server-everything/],
    [join(folder, "server.py"), "TARGET_NOT_FOUND", /it is a file/, /--command "python3 server.py"/],
    [join(folder, "server.py", "below"), "TARGET_NOT_FOUND", /no such folder/, /existing folder/],
    [join(folder, "empty"), "TARGET_NOT_FOUND", /is empty/, /holds the plugin's files/],
    ["https://example.com/a/b.git", "TARGET_NOT_FOUND", /does not download/, /Clone it/],
    [homedir(), "INVALID_INPUT", /home or root folder/, /own folder/],
    ["/", "INVALID_INPUT", /home or root folder/, /own folder/],
    ["npm:", "INVALID_INPUT", /not a package name/, /npm:<package>/],
    ["npm:../evil", "INVALID_INPUT", /not a package name/, /npm:<package>/],
    ["npm:ok@file:/etc", "INVALID_INPUT", /not a version/, /npm:<package>@<version>/],
    ["  ", "INVALID_INPUT", /neither a target nor a command/, /npm:/],
  ];
  for (const [target, code, message, next] of cases) {
    const error = await rejection(prepare(target));
    t.equal(error.code, code, target);
    t.match(error.message, message);
    t.match(nextStepsFor("terminal", error.context.next as NextStep[] | undefined).join("\n"), next);
  }
  t.equal(await textOf(worktrees), undefined);
});

t.test("a manifest that is no JSON is refused with its words", async (t) => {
  const { folder } = await temporaryWorld(t);
  await writeFiles(folder, { "package.json": "{ name: oops }" });
  t.match(await rejection(prepare(folder)), { code: "INVALID_CONFIG", message: /package.json/ });
});
