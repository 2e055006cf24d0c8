/** Sources that cannot be written, files of other users, and sessions that are killed while they copy. */
import { chmod, chown, mkdir, readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import process from "node:process";
import { setTimeout as delay } from "node:timers/promises";
import t from "tap";
import { runCommand, spawnProcess } from "../../../src/platform/process.ts";
import { clean } from "../../../src/session/clean.ts";
import { listSessions } from "../../../src/registry/register.ts";
import { removeSource } from "../../../src/session/remove_source.ts";
import {
  makeRepository,
  prepare,
  temporaryWorld,
  textOf,
  userGit,
  writeFiles,
} from "../../src/session/helpers.ts";

/** Ten sessions are started and killed. */
const slow = { timeout: 240_000 };
t.setTimeout(slow.timeout * 2);

const root = process.getuid?.() === 0;
const needsRoot = root ? {} : { skip: "needs root: it mounts and changes owners" };
const nobody = 65534;

t.test("a read-only checkout is copied without a branch and without a lock", needsRoot, async (t) => {
  const { folder } = await temporaryWorld(t);
  await makeRepository(folder, { "a.txt": "a", "package.json": '{"name":"ro"}' });
  const readOnly = join(folder, "..", "read only");
  await mkdir(readOnly);
  const mounted = (await runCommand(["mount", "--bind", folder, readOnly])).code === 0 &&
    (await runCommand(["mount", "-o", "remount,ro,bind", readOnly])).code === 0;
  if (!mounted) return void t.pass("not run", { skip: "mount is refused here" });
  t.teardown(() => runCommand(["umount", readOnly]));
  const source = await prepare(readOnly);
  t.equal(source.branch, undefined);
  t.match(source.notes.join("\n"), /No session lock: .*\n?.*cannot be written/s);
  t.match(source.notes.join("\n"), /A copy without a branch: the repository cannot be written/);
  t.equal(await textOf(source.worktree, "a.txt"), "a");
  t.strictSame((await removeSource(source, { register: source.register })).leftBehind, []);
  t.strictSame((await listSessions())[0]?.entries, []);
});

t.test("a repository that belongs to another user is copied, with git's words", needsRoot, async (t) => {
  const { folder } = await temporaryWorld(t);
  await makeRepository(folder, { "a.txt": "a" });
  await chown(folder, nobody, nobody);
  await chown(join(folder, ".git"), nobody, nobody);
  const source = await prepare(folder);
  t.equal(source.branch, undefined);
  t.match(source.notes.join("\n"), /A copy without a branch: detected dubious ownership/);
  t.equal(await textOf(source.worktree, "a.txt"), "a");
});

t.test(
  "files that an environment made as another user are told, not lost from sight",
  needsRoot,
  async (t) => {
    const { folder, worktrees, home } = await temporaryWorld(t);
    await writeFiles(folder, { "server.py": "" });
    for (const path of [join(folder, ".."), folder]) await chmod(path, 0o777);
    const source = await prepare(folder);
    await mkdir(join(source.worktree, "made by root"));
    await writeFile(join(source.worktree, "made by root", "file"), "");
    for (const path of [worktrees, home, join(home, "sessions"), source.worktree, join(folder, ".pth")]) {
      await chown(path, nobody, nobody);
    }
    const script = `
    import { removeSource } from ${
      JSON.stringify(join(import.meta.dirname!, "../../../src/session/remove_source.ts"))
    };
    console.log(JSON.stringify(await removeSource(${JSON.stringify(source)})));`;
    const asNobody = ["setpriv", `--reuid=${nobody}`, `--regid=${nobody}`, "--clear-groups"];
    const deno = [process.execPath, "eval", "--ext=ts", script];
    const result = await runCommand([...asNobody, ...deno], {
      env: { DENO_DIR: join(worktrees, ".deno"), HOME: worktrees },
    });
    if (result.code !== 0) {
      return void t.pass("not run", { skip: `another user cannot: ${result.stderr.slice(0, 200)}` });
    }
    const report = JSON.parse(result.stdout);
    t.match(report.leftBehind, [/made by root.*file: Permission denied/, /sudo rm -rf/]);
    t.equal(await textOf(source.worktree, "server.py"), undefined, "what can go is gone");
  },
);

t.test("a session killed at any moment of its copying leaves nothing after clean", slow, async (t) => {
  const { folder, worktrees } = await temporaryWorld(t);
  const files = Object.fromEntries(Array.from({ length: 300 }, (_, n) => [`src/f${n}.txt`, `${n}`]));
  await makeRepository(folder, { ...files, "package.json": '{"name":"killed"}' });
  await writeFiles(
    folder,
    Object.fromEntries(Array.from({ length: 300 }, (_, n) => [`new/f${n}.txt`, `${n}`])),
  );
  const before = userGit(folder, "for-each-ref") + userGit(folder, "worktree", "list");
  const program = join(import.meta.dirname!, "programs/prepare_and_wait.ts");
  const seen = new Set<string>();
  for (const [number, wait] of [0, 5, 10, 20, 30, 45, 60, 90, 150, "prepared"].entries()) {
    const child = await spawnProcess([process.execPath, "run", "-A", program, folder, `kill${number}`], {
      ownGroup: true,
    });
    let said = "";
    child.stdout.on("data", (chunk) => said += chunk);
    while (!said.includes(typeof wait === "string" ? wait : "opened")) await delay(2);
    if (typeof wait === "number") await delay(wait);
    child.kill("SIGKILL");
    await child.exited;
    const report = await clean({ runtimes: [] });
    for (const { kind } of report.removed) seen.add(kind);
    t.strictSame(report.failed, [], `killed after: ${wait}`);
    t.equal(userGit(folder, "for-each-ref") + userGit(folder, "worktree", "list"), before);
    t.equal(await textOf(folder, ".pth/active-session.lock"), undefined);
    t.strictSame(await readdir(worktrees).catch(() => []), []);
    t.strictSame(await listSessions(), []);
  }
  for (const kind of ["branch", "lock", "worktree"]) t.ok(seen.has(kind), `some kill left a ${kind}`);
});
